package repo

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// LanguageEndings are those of languages.
const LanguageEndings = "go,rs,py,pyi,ts,tsx,js,jsx,mjs,cjs,mts,cts,java,kt,kts,swift,c,h,cc,cpp,cxx,c++,hh,hpp,hxx,h++,m,mm,cs,rb,rake,php,scala,dart,ex,exs,lua,luau,sh,bash,zsh,fish,bats,ps1,bat,cmd,sql,zig,r,R,jl,elm,fs,fsx,vb,clj,cljs,cljc,hs,ml,mli,pl,pm,t,groovy,nix,tf,bicep,sol,glsl,wgsl,hlsl,erl,hrl,gleam,nim,cr,d,sv,vhdl,gd,cu,f90,el,coffee,rego,cue,jsonnet,bzl,proto,thrift,graphql,gql,prisma,vue,svelte,astro"

// TemplateEndings are those of templates and of what styles pages.
const TemplateEndings = "html,erb,haml,slim,heex,eex,razor,cshtml,jsp,ftl,twig,jinja,j2,njk,hbs,mustache,liquid,ejs,pug,templ,tmpl,tpl,gohtml,xaml,axaml,css,scss,sass,less,styl"

// ProjectEndings are those of what a project is built by.
const ProjectEndings = "csproj,fsproj,vbproj,props,targets,gradle,sbt,cabal,gemspec,cmake,mk"

// settingEndings are those of settings.
const settingEndings = "yaml,yml,json,jsonc,json5,toml,tfvars,hcl,properties,xml,ini,cfg,env,conf"

// AllText are files of code, and those that describe settings.
const AllText = "**/*.{" + LanguageEndings + "," + TemplateEndings + "," + ProjectEndings + "," + settingEndings + "}"

// otherEndings are those of files that are made or kept, and not written by hand.
const otherEndings = "md,mdx,markdown,mkd,mdc,rst,adoc,txt,csv,tsv,lock,sum,mod,work,log,svg,png,jpg,jpeg,gif,webp,ico,bmp,tif,tiff,pdf,doc,docx,xls,xlsx,ppt,pptx,mp3,mp4,mov,webm,wav,ogg,flac,ttf,otf,woff,woff2,eot,zip,gz,br,bz2,xz,zst,tar,tgz,jar,war,so,a,o,dll,exe,dylib,lib,wasm,bin,dat,db,sqlite,sqlite3,parquet,pb,onnx,pt,safetensors,npy,npz,pkl,pem,crt,key,pub,sig,asc,snap,golden,out,err,expected,input,output,stdout,stderr,diff,patch,orig,rej,bak,tmp,map,min,po,pot,mo,strings,xcstrings,resx,lang,plist,pbxproj,xcconfig,xib,storyboard,sln,iml,meta,prefab,unity,asset,mat,anim,fbx,obj,glb,gltf,blend,psd,ai,eps,drawio,puml,mmd,dot,bib,tex,ipynb,har,http,rest,example,sample,template,dist,default,local,in,ignore,gitkeep,keep,typed,prompt,service,desktop,spec,list,text,data,dump,cast,tape,webmanifest,jsonl,ndjson,geojson,topojson,avsc,wsdl,xsd,xsl,xslt,rss,atom,eml,ics,vcf,cnf,options,fixture,stub,cache,pid,swp"

// MinSources is from how many files an ending that the table does not know is one of sources.
const MinSources = 3

// plainEnding is an ending of sources.
var plainEnding = lazy.Regexp{Source: `^[a-z][a-z0-9]{0,9}$`}

// ownEndings are the endings of the files of the tree that the table does not know.
func (t *Tree) ownEndings() (list []string) {
	count := map[string]int{}
	for _, name := range t.Files() {
		if ext := strings.TrimPrefix(path.Ext(name), "."); plainEnding.Get().MatchString(ext) && path.Base(name) != "."+ext {
			count[ext]++
		}
	}
	known := strings.Split(strings.Trim(AllText, "*/.{}")+","+otherEndings, ",")
	for ext, n := range count {
		if n >= MinSources && !slices.Contains(known, ext) {
			list = append(list, ext)
		}
	}
	slices.Sort(list)
	return list[:min(len(list), maxOwnEndings)]
}

// maxOwnEndings bounds the endings that a tree adds to the table.
const maxOwnEndings = 8

// Endings are those of files of the tree that the table does not know.
func (t *Tree) Endings() []string { return t.endings() }

// WithOwn is a pattern of files by their endings with those of the project's own.
func (t *Tree) WithOwn(glob string) string {
	if !t.Known() {
		return glob
	}
	if own := t.endings(); len(own) > 0 {
		return strings.TrimSuffix(glob, "}") + "," + strings.Join(own, ",") + "}"
	}
	return glob
}

// Documents are files in which a name of code is only mentioned.
var Documents = []string{"**/*.md", "**/*.mdx", "**/*.mdc", "**/*.txt", "**/*.rst"}

// Identifier begins a name of code.
var Identifier = lazy.Regexp{Source: `^[\w$]`}

// OfDocument reports whether the ending of a file is that of a document.
func OfDocument(name string) bool {
	return slices.Contains(Documents, "**/*"+path.Ext(name))
}

// Manifests are files that name dependencies.
var Manifests = []string{"package.json", "Cargo.toml", "Cargo.lock", "go.mod", "pyproject.toml", "requirements*.{txt,in}", "Gemfile", "pom.xml", "build.gradle*",
	"composer.json", "pubspec.yaml", "mix.exs", "build.sbt", "Package.swift", "MODULE.bazel", "cpanfile", "*.{csproj,fsproj}", "Directory.Packages.props"}
