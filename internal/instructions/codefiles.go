package instructions

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// The kinds of files that rules are about, by their endings: one table for all of them. A rule
// about what files say looks at code, and so does an obligation that follows a change of code.

const (
	// languageEndings are those of languages.
	languageEndings = "go,rs,py,pyi,ts,tsx,js,jsx,mjs,cjs,mts,cts,java,kt,kts,swift,c,h,cc,cpp,cxx,c++,hh,hpp,hxx,h++,m,mm,cs,rb,rake,php,scala,dart,ex,exs,lua,luau,sh,bash,zsh,fish,bats,ps1,bat,cmd,sql,zig,r,R,jl,elm,fs,fsx,vb,clj,cljs,cljc,hs,ml,mli,pl,pm,t,groovy,nix,tf,bicep,sol,glsl,wgsl,hlsl,erl,hrl,gleam,nim,cr,d,sv,vhdl,gd,cu,f90,el,coffee,rego,cue,jsonnet,bzl,proto,thrift,graphql,gql,prisma,vue,svelte,astro"
	// templateEndings are those of templates and of what styles pages.
	templateEndings = "html,erb,haml,slim,heex,eex,razor,cshtml,jsp,ftl,twig,jinja,j2,njk,hbs,mustache,liquid,ejs,pug,templ,tmpl,tpl,gohtml,xaml,axaml,css,scss,sass,less,styl"
	// projectEndings are those of what a project is built by.
	projectEndings = "csproj,fsproj,vbproj,props,targets,gradle,sbt,cabal,gemspec,cmake,mk"
	// settingEndings are those of settings.
	settingEndings = "yaml,yml,json,jsonc,json5,toml,tfvars,hcl,properties,xml,ini,cfg,env,conf"

	// code are the files of programs.
	code = "**/*.{" + languageEndings + "," + templateEndings + "," + projectEndings + "}"
	// sources are those of them that a language is written in: what a line wants of each new file,
	// as its head or its name, is hardly wanted of a template or a project's file.
	sources = "**/*.{" + languageEndings + "}"
	// allText are files of code, and those that describe settings.
	allText = "**/*.{" + languageEndings + "," + templateEndings + "," + projectEndings + "," + settingEndings + "}"
	// otherEndings are those of files that are made or kept, and not written by hand.
	otherEndings = "md,mdx,markdown,mkd,mdc,rst,adoc,txt,csv,tsv,lock,sum,mod,work,log,svg,png,jpg,jpeg,gif,webp,ico,bmp,tif,tiff,pdf,doc,docx,xls,xlsx,ppt,pptx,mp3,mp4,mov,webm,wav,ogg,flac,ttf,otf,woff,woff2,eot,zip,gz,br,bz2,xz,zst,tar,tgz,jar,war,so,a,o,dll,exe,dylib,lib,wasm,bin,dat,db,sqlite,sqlite3,parquet,pb,onnx,pt,safetensors,npy,npz,pkl,pem,crt,key,pub,sig,asc,snap,golden,out,err,expected,input,output,stdout,stderr,diff,patch,orig,rej,bak,tmp,map,min,po,pot,mo,strings,xcstrings,resx,lang,plist,pbxproj,xcconfig,xib,storyboard,sln,iml,meta,prefab,unity,asset,mat,anim,fbx,obj,glb,gltf,blend,psd,ai,eps,drawio,puml,mmd,dot,bib,tex,ipynb,har,http,rest,example,sample,template,dist,default,local,in,ignore,gitkeep,keep,typed,prompt,service,desktop,spec,list,text,data,dump,cast,tape,webmanifest,jsonl,ndjson,geojson,topojson,avsc,wsdl,xsd,xsl,xslt,rss,atom,eml,ics,vcf,cnf,options,fixture,stub,cache,pid,swp"
)

// allCode is a pattern of files by more endings than a person reads.
var allCode = lazy.Regexp{Source: `\*\*/\*\.\{[^{}]{200,}\}`}

// ofTests are files of tests, where a line about the product does not hold.
func ofTests() []string { return append(slices.Clone(testFiles()), "**/testdata/**", "**/conftest.py") }

// minSources is from how many files an ending that the table does not know is one of sources.
const minSources = 3

// plainEnding is an ending of sources.
var plainEnding = lazy.Regexp{Source: `^[a-z][a-z0-9]{0,9}$`}

// ownEndings are the endings of the files of the tree that the table does not know.
func (t *Tree) ownEndings() (list []string) {
	count := map[string]int{}
	for _, name := range t.files() {
		if ext := strings.TrimPrefix(path.Ext(name), "."); plainEnding.Get().MatchString(ext) && path.Base(name) != "."+ext {
			count[ext]++
		}
	}
	known := strings.Split(strings.Trim(allText, "*/.{}")+","+otherEndings, ",")
	for ext, n := range count {
		if n >= minSources && !slices.Contains(known, ext) {
			list = append(list, ext)
		}
	}
	slices.Sort(list)
	return list[:min(len(list), maxOwnEndings)]
}

// maxOwnEndings bounds the endings that a tree adds to the table.
const maxOwnEndings = 8

// usual are the files of code that a rule is about where its line names none.
func (b *builder) usual() string {
	switch b.hit.form.Rule {
	case "names", "header", "licence", "length":
		return b.p.withOwn(sources)
	}
	return b.p.withOwn(code)
}

// withOwn is a pattern of files by their endings with those of the project's own.
func (t *Tree) withOwn(glob string) string {
	if !t.known() || t.endings == nil {
		return glob
	}
	if own := t.endings(); len(own) > 0 {
		return strings.TrimSuffix(glob, "}") + "," + strings.Join(own, ",") + "}"
	}
	return glob
}

// fewLanguages are the files of the languages of a project, with one of them, as a name in code is
// one of these languages: none where the project has many languages, or too few sources to tell.
func (p *Project) fewLanguages() (globs []string, example string) {
	if !p.whole() || p.perEnding == nil {
		return nil, ""
	}
	of, most, total := map[string]bool{}, 0, 0
	for ext, n := range p.perEnding() {
		glob := "**/*." + ext
		if i := slices.IndexFunc(forms().Languages, func(l language) bool { return l.hasEnding(ext) }); i >= 0 {
			glob = forms().Languages[i].Files[0]
		}
		if total += n; n > most || n == most && glob < example {
			most, example = n, glob
		}
		of[glob] = true
	}
	if total < minSources || len(of) > maxLanguageFiles {
		return nil, ""
	}
	for _, name := range p.files() { // a page may have code in it
		if ext := strings.TrimPrefix(path.Ext(name), "."); slices.Contains(strings.Split(templateEndings, ","), ext) {
			of["**/*."+ext] = true
		}
	}
	if p.endings != nil {
		for _, ext := range p.endings() {
			of["**/*."+ext] = true
		}
	}
	return slices.Sorted(maps.Keys(of)), sample(example)
}
