package secret

// detectors returns the table of everything that is looked for. The formats are
// those that the issuers document or have used for all tokens seen in public.
func detectors() []detector {
	table := []detector{
		{kinds: []string{kindPrivateKey}, rank: byFormat, keywords: []string{"-----BEGIN "}, match: privateKeyBlock},
		{kinds: []string{kindPrivateKey}, rank: byFormat, keywords: []string{"LS0tLS1CRUdJTi"}, match: encodedPrivateKey},
		{kinds: []string{kindJWT}, rank: byFormat, keywords: []string{"eyJ"}, match: jsonWebToken},
		{kinds: []string{kindDatabaseURL, kindURLPassword}, rank: byPlace, keywords: []string{"://"}, match: urlPassword},
		{kinds: []string{kindAuthorization}, rank: byPlace, keywords: []string{"authorization", "bearer"}, fold: true, match: authorization},
		{kinds: []string{kindBasicAuth}, rank: byPlace, keywords: []string{" -u", " --user", " --proxy-user"}, match: basicAuthFlag},
		{kinds: []string{kindDockerAuth}, rank: byPlace, keywords: []string{`"auth"`}, match: dockerAuth},
		{
			kinds: []string{kindPassword, kindSecret, kindAWSSecret, kindNPMAuth}, rank: byName, fold: true,
			keywords: []string{"passw", "passphrase", "pwd", "secret", "token", "key", "credential", "sshpass"},
			match:    assignment,
		},
	}
	for _, list := range [][]format{cloudFormats(), forgeFormats(), serviceFormats(), modelFormats()} {
		for _, f := range list {
			table = append(table, f.detector())
		}
	}
	return table
}

// cloudFormats are the keys of clouds, platforms and secret stores.
func cloudFormats() []format {
	return []format{
		{kind: "aws-access-key", starts: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, parts: []part{exactly(16, upper|digit)}},
		{kind: "aws-bedrock-key", starts: []string{"ABSK"}, parts: []part{run(base64Chars|equal, 109, 269)}},
		{kind: "gcp-api-key", starts: []string{"AIza"}, parts: []part{exactly(35, url64)}},
		{kind: "gcp-oauth-secret", starts: []string{"GOCSPX-"}, parts: []part{exactly(28, url64)}},
		{kind: "gcp-oauth-token", starts: []string{"ya29."}, parts: []part{run(url64|dot, 30, 2048)}},
		{kind: "azure-storage-key", starts: []string{"AccountKey="}, parts: []part{exactly(86, base64Chars), literal("==")}},
		{kind: "azure-shared-key", starts: []string{"SharedAccessKey="}, parts: []part{exactly(43, base64Chars), literal("=")}},
		{
			kind: "azure-client-secret", before: exactly(3, word|dash|dot|tilde),
			starts: []string{"0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"},
			parts:  []part{run(word|dash|dot|tilde, 31, 34)},
		},
		{kind: "alibaba-access-key", starts: []string{"LTAI"}, parts: []part{exactly(20, alnum)}, digits: true},
		{kind: "tencent-secret-id", starts: []string{"AKID"}, parts: []part{exactly(32, alnum)}, digits: true},
		{kind: "digitalocean-token", starts: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, parts: []part{exactly(64, hexadecimal)}},
		{kind: "cloudflare-origin-key", starts: []string{"v1.0-"}, parts: []part{exactly(24, hexadecimal), literal("-"), exactly(146, hexadecimal)}},
		{kind: "heroku-key", starts: []string{"HRKU-"}, parts: []part{run(url64, 36, 64)}},
		{kind: "fly-token", starts: []string{"fm1r_", "fm1a_", "fm2_", "fo1_"}, parts: []part{run(url64|slash|equal, 40, 2048)}},
		{kind: "netlify-token", starts: []string{"nfp_"}, parts: []part{exactly(36, alnum)}},
		{kind: "supabase-key", starts: []string{"sbp_", "sb_secret_"}, parts: []part{run(url64, 31, 64)}},
		{kind: "planetscale-token", starts: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, parts: []part{run(url64|dot|equal, 32, 64)}},
		{kind: "databricks-token", starts: []string{"dapi"}, parts: []part{exactly(32, hexadecimal)}},
		{kind: "vault-token", starts: []string{"hvs.", "hvb.", "hvr."}, parts: []part{run(url64, 24, 512)}},
		{kind: "terraform-token", before: exactly(14, alnum), starts: []string{".atlasv1."}, parts: []part{run(url64, 60, 70)}},
		{kind: "pulumi-token", starts: []string{"pul-"}, parts: []part{exactly(40, hexadecimal)}},
		{kind: "doppler-token", starts: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, parts: []part{run(alnum|dot|under, 40, 64)}},
		{kind: "onepassword-token", starts: []string{"ops_eyJ"}, parts: []part{run(url64|equal, 250, 4096)}},
		{kind: "age-secret-key", starts: []string{"AGE-SECRET-KEY-1"}, parts: []part{exactly(58, upper|digit)}},
		{kind: "tailscale-key", starts: []string{"tskey-"}, parts: []part{run(lower, 3, 12), literal("-"), run(alnum, 8, 24), literal("-"), run(alnum, 16, 64)}},
	}
}

// forgeFormats are the tokens of code forges, package registries and build services.
func forgeFormats() []format {
	return []format{
		// Documented as "at least" 36 characters, up to 255 in all.
		{kind: "github-token", starts: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, parts: []part{run(word, 36, 251)}},
		{kind: "github-fine-grained-token", starts: []string{"github_pat_"}, parts: []part{run(word, 82, 244)}},
		{
			kind: "gitlab-token",
			starts: []string{"glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glcbt-", "glft-", "glimt-", "glsoat-", "glagent-",
				"gloas-", "glffct-", "GR1348941"},
			parts: []part{run(url64|dot, 20, 300)},
		},
		{kind: "bitbucket-token", starts: []string{"ATBB", "ATCTT3"}, parts: []part{run(url64|equal, 32, 200)}, digits: true},
		{kind: "atlassian-token", starts: []string{"ATATT3"}, parts: []part{run(url64|equal, 100, 240)}},
		{kind: "npm-token", starts: []string{"npm_"}, parts: []part{exactly(36, alnum)}},
		{kind: "pypi-token", starts: []string{"pypi-AgE"}, parts: []part{run(url64, 50, 1000)}},
		{kind: "rubygems-token", starts: []string{"rubygems_"}, parts: []part{exactly(48, hexadecimal)}},
		{kind: "crates-token", starts: []string{"cio"}, parts: []part{exactly(32, alnum)}, digits: true},
		{kind: "nuget-key", starts: []string{"oy2"}, parts: []part{exactly(43, lower|digit)}, digits: true},
		{kind: "clojars-token", starts: []string{"CLOJARS_"}, parts: []part{exactly(60, hexadecimal)}},
		{kind: "docker-hub-token", starts: []string{"dckr_pat_", "dckr_oat_"}, parts: []part{run(url64, 27, 64)}},
		{kind: "artifactory-token", starts: []string{"AKCp", "cmVmdGtu"}, parts: []part{run(alnum, 56, 80)}, digits: true},
		{kind: "buildkite-token", starts: []string{"bkua_"}, parts: []part{exactly(40, hexadecimal)}},
		{kind: "circleci-token", starts: []string{"CCIPAT_", "CCIPRJ_"}, parts: []part{run(alnum, 20, 24), literal("_"), exactly(40, hexadecimal)}},
		{kind: "sonar-token", starts: []string{"sqp_", "squ_", "sqa_"}, parts: []part{exactly(40, hexadecimal)}},
	}
}

// serviceFormats are the keys of chat, mail, payment, monitoring and office services.
func serviceFormats() []format {
	return []format{
		{kind: "slack-token", starts: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xoxo-", "xoxc-", "xoxd-", "xapp-"}, parts: []part{run(url64|dot, 24, 300)}, digits: true},
		{kind: "slack-webhook", starts: []string{"hooks.slack.com/services/"}, parts: []part{
			run(alnum, 8, 14), literal("/"), run(alnum, 8, 14), literal("/"), run(alnum, 20, 32)}},
		{kind: "discord-webhook", starts: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, parts: []part{
			run(digit, 17, 20), literal("/"), run(url64, 60, 80)}},
		{kind: "teams-webhook", before: run(url64, 1, 63), starts: []string{".webhook.office.com/webhookb2/"}, parts: []part{
			exactly(36, anyHex|dash), literal("@"), exactly(36, anyHex|dash), literal("/IncomingWebhook/"), exactly(32, anyHex), literal("/"), exactly(36, anyHex|dash)}},
		{kind: "telegram-token", before: run(digit, 8, 10), starts: []string{":AA"}, parts: []part{exactly(33, url64)}},
		{kind: "twilio-key", starts: []string{"SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"}, parts: []part{exactly(31, hexadecimal)}},
		{kind: "sendgrid-key", starts: []string{"SG."}, parts: []part{exactly(22, url64), literal("."), exactly(43, url64)}},
		{kind: "mailgun-key", starts: []string{"key-"}, parts: []part{exactly(32, hexadecimal)}},
		{kind: "mailchimp-key", before: exactly(32, hexadecimal), starts: []string{"-us"}, parts: []part{run(digit, 1, 2)}},
		{kind: "brevo-key", starts: []string{"xkeysib-", "xsmtpsib-"}, parts: []part{exactly(64, hexadecimal), literal("-"), exactly(16, alnum)}},
		{kind: "resend-key", starts: []string{"re_"}, parts: []part{exactly(8, alnum), literal("_"), exactly(24, alnum)}, digits: true},
		{kind: "stripe-key", starts: []string{"sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"}, parts: []part{run(alnum, 16, 255)}},
		{kind: "square-token", starts: []string{"sq0atp-", "sq0csp-"}, parts: []part{run(url64, 22, 43)}},
		{kind: "shopify-token", starts: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, parts: []part{exactly(32, anyHex)}},
		{kind: "braintree-token", starts: []string{"access_token$production$", "access_token$sandbox$"}, parts: []part{exactly(16, lower|digit), literal("$"), exactly(32, hexadecimal)}},
		{kind: "plaid-token", starts: []string{"access-sandbox-", "access-development-", "access-production-"}, parts: []part{exactly(36, hexadecimal|dash)}},
		{kind: "newrelic-key", starts: []string{"NRAK-", "NRII-"}, parts: []part{run(alnum|dash, 27, 42)}},
		{kind: "grafana-token", starts: []string{"glsa_", "glc_"}, parts: []part{run(word|slash|equal, 40, 400)}},
		{kind: "sentry-token", starts: []string{"sntrys_", "sntryu_"}, parts: []part{run(word|slash|equal, 64, 400)}},
		{kind: "dynatrace-token", starts: []string{"dt0c01.", "dt0s01.", "dt0s16."}, parts: []part{run(upper|digit, 8, 24), literal("."), exactly(64, upper|digit)}},
		{kind: "posthog-key", starts: []string{"phx_"}, parts: []part{run(alnum, 40, 64)}},
		{kind: "linear-key", starts: []string{"lin_api_", "lin_oauth_"}, parts: []part{run(alnum, 40, 64)}},
		{kind: "notion-token", starts: []string{"ntn_", "secret_"}, parts: []part{run(alnum, 43, 50)}, digits: true},
		{kind: "figma-token", starts: []string{"figd_", "figo_"}, parts: []part{run(url64, 38, 64)}},
		{kind: "postman-key", starts: []string{"PMAK-"}, parts: []part{exactly(24, hexadecimal), literal("-"), exactly(34, hexadecimal)}},
		{kind: "airtable-token", starts: []string{"pat"}, parts: []part{exactly(14, alnum), literal("."), exactly(64, hexadecimal)}},
		{kind: "contentful-token", starts: []string{"CFPAT-"}, parts: []part{exactly(43, url64)}},
		{kind: "typeform-token", starts: []string{"tfp_"}, parts: []part{run(url64|dot|equal, 40, 64)}},
	}
}

// modelFormats are the keys of services that serve models.
func modelFormats() []format {
	return []format{
		{kind: "openai-key", starts: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, parts: []part{run(url64, 40, 300)}},
		// Also the form that several compatible services use.
		{kind: "openai-key", starts: []string{"sk-"}, parts: []part{run(alnum, 32, 64)}, digits: true},
		{kind: "deepseek-key", starts: []string{"sk-"}, parts: []part{exactly(32, hexadecimal)}},
		{kind: "anthropic-key", starts: []string{"sk-ant-"}, parts: []part{run(url64, 40, 300)}},
		{kind: "openrouter-key", starts: []string{"sk-or-v1-"}, parts: []part{exactly(64, hexadecimal)}},
		{kind: "huggingface-token", starts: []string{"hf_", "api_org_"}, parts: []part{run(alnum, 34, 40)}},
		{kind: "groq-key", starts: []string{"gsk_"}, parts: []part{exactly(52, alnum)}},
		{kind: "xai-key", starts: []string{"xai-"}, parts: []part{run(alnum, 70, 90)}},
		{kind: "perplexity-key", starts: []string{"pplx-"}, parts: []part{run(alnum, 48, 64)}},
		{kind: "replicate-token", starts: []string{"r8_"}, parts: []part{exactly(37, alnum)}},
		{kind: "nvidia-key", starts: []string{"nvapi-"}, parts: []part{run(url64, 60, 72)}},
		{kind: "together-key", starts: []string{"tgp_v1_"}, parts: []part{run(url64, 40, 64)}},
		{kind: "langsmith-key", starts: []string{"lsv2_pt_", "lsv2_sk_"}, parts: []part{exactly(32, hexadecimal), literal("_"), exactly(10, hexadecimal)}},
		{kind: "pinecone-key", starts: []string{"pcsk_"}, parts: []part{run(word, 60, 80)}},
		{kind: "elevenlabs-key", starts: []string{"sk_"}, parts: []part{exactly(48, hexadecimal)}},
	}
}

// class is a set of ASCII characters.
type class uint16

const (
	digit    class = 1 << iota
	lowerHex       // a-f
	lowerG         // g-z
	upperHex       // A-F
	upperG         // G-Z
	under          // _
	dash           // -
	dot            // .
	slash          // + and /, which base64 has in addition to the alphanumerics
	equal          // =
	tilde          // ~

	hexadecimal = digit | lowerHex
	anyHex      = hexadecimal | upperHex
	lower       = lowerHex | lowerG
	upper       = upperHex | upperG
	letter      = lower | upper
	alnum       = letter | digit
	word        = alnum | under
	url64       = word | dash // the URL-safe base64 alphabet
	base64Chars = alnum | slash
)

func classOf(b byte) class {
	switch {
	case 'a' <= b && b <= 'f':
		return lowerHex
	case 'g' <= b && b <= 'z':
		return lowerG
	case '0' <= b && b <= '9':
		return digit
	case 'A' <= b && b <= 'F':
		return upperHex
	case 'G' <= b && b <= 'Z':
		return upperG
	}
	switch b {
	case '_':
		return under
	case '-':
		return dash
	case '.':
		return dot
	case '+', '/':
		return slash
	case '=':
		return equal
	case '~':
		return tilde
	}
	return 0
}

func (c class) has(b byte) bool { return c&classOf(b) != 0 }

// span returns how many bytes of text[at:] are in c, at most limit.
func (c class) span(text string, at, limit int) int {
	n := 0
	for n < limit && at+n < len(text) && c.has(text[at+n]) {
		n++
	}
	return n
}

// spanBack returns how many bytes before text[at] are in c, at most limit.
func (c class) spanBack(text string, at, limit int) int {
	n := 0
	for n < limit && at-n > 0 && c.has(text[at-n-1]) {
		n++
	}
	return n
}

// A part is a piece of a token's format: a literal, or from min to max
// characters of a class.
type part struct {
	literal  string
	class    class
	min, max int
}

func run(c class, minimum, maximum int) part { return part{class: c, min: minimum, max: maximum} }
func exactly(n int, c class) part            { return part{class: c, min: n, max: n} }
func literal(s string) part                  { return part{literal: s} }

// A format describes tokens that begin with a keyword of their own.
type format struct {
	kind   string
	starts []string // the keywords
	before part     // the text before the keyword, where that is not the token's beginning
	parts  []part   // what follows the keyword
	// digits: the token has at least one digit and one letter. Asked of formats
	// whose keyword also begins ordinary identifiers.
	digits bool
}

func (f format) detector() detector {
	return detector{kinds: []string{f.kind}, rank: byFormat, keywords: f.starts, match: f.match}
}

// minEntropy, in bits per character, is below what any random token of 16
// characters or more has (16 random hexadecimal digits have 2.7 or more in 999
// of 1,000), and above what fillers such as "aaaa…" or "abcabcabc…" have.
const minEntropy = 2.6

func (f format) match(text string, at, length int) (Found, bool) {
	start, end := at, at+length
	first := f.before.class
	if f.before.max > 0 {
		n := f.before.class.spanBack(text, at, f.before.max+1)
		if n < f.before.min || n > f.before.max {
			return Found{}, false
		}
		start -= n
	} else if len(f.parts) > 0 {
		first = f.parts[0].class
	}
	if !startsToken(text, start, first) {
		return Found{}, false
	}
	var last class
	for _, p := range f.parts {
		n, ok := p.take(text, end)
		if !ok {
			return Found{}, false
		}
		end += n
		last = p.class
	}
	if end < len(text) && (word | last).has(text[end]) {
		return Found{}, false
	}
	random := text[at+length : end]
	if f.before.max > 0 {
		random = text[start:at] + random
	}
	if f.digits && !mixed(random) || entropy(random) < minEntropy || filler(text[start:end]) {
		return Found{}, false
	}
	return Found{Kind: f.kind, Start: start, End: end}, true
}

// take returns how many bytes of text[at:] the part covers.
func (p part) take(text string, at int) (int, bool) {
	if p.literal != "" {
		ok := len(text)-at >= len(p.literal) && text[at:at+len(p.literal)] == p.literal
		return len(p.literal), ok
	}
	n := p.class.span(text, at, p.max)
	return n, n >= p.min
}

// startsToken reports whether a token whose characters are in c can begin at
// text[at]: the text before it must not belong to it. An equals sign, which pads
// base64, assigns here; a byte that ends an escape (\n, %20, \u003d) counts as
// none. Because a token hardly ever begins inside a run of its own characters,
// no run is read over and over.
func startsToken(text string, at int, c class) bool {
	if at == 0 || !(alnum | c&^equal).has(text[at-1]) {
		return true
	}
	switch {
	case at >= 2 && text[at-2] == '\\' && (text[at-1] == 'n' || text[at-1] == 'r' || text[at-1] == 't'):
		return true
	case at >= 3 && text[at-3] == '%' && anyHex.span(text, at-2, 2) == 2:
		return true
	case at >= 6 && text[at-6:at-4] == `\u` && anyHex.span(text, at-4, 4) == 4:
		return true
	}
	return false
}
