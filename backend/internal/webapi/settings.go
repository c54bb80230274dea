package webapi

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/judge"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Settings are the keys of a backend that is a web service.
type Settings struct {
	BaseURL    string `yaml:"base_url" json:"base_url" form:"url" jsonschema:"Where the service answers."`
	APIKeyEnv  string `yaml:"api_key_env" json:"api_key_env" form:"variable" jsonschema:"Environment variable that holds the key. Empty sends none."`
	Model      string `yaml:"model" json:"model" jsonschema:"Model; it has no default."`
	NumPredict int    `yaml:"num_predict" json:"num_predict" min:"1" max:"1000000" jsonschema:"Tokens for a model's thoughts."`
	CAFile     string `yaml:"ca_file" json:"ca_file" same:"who may answer, not what" jsonschema:"PEM file of the only authority that may sign the server's certificate. Relative to the project, or ~/…"`
	CertFile   string `yaml:"client_cert_file" json:"client_cert_file" same:"who may answer, not what" jsonschema:"PEM file of Sentinel's own certificate."`
	KeyFile    string `yaml:"client_key_file" json:"client_key_file" same:"who may answer, not what" jsonschema:"PEM file of its key, unless client_cert_file has it."`
}

// About describes a service with these settings.
func (s Settings) About(provider string) judge.About {
	about := judge.About{About: backend.About{Server: s.BaseURL}, Model: s.Model, NeedsModel: true, Provider: provider, KeyEnv: s.APIKeyEnv}
	if server, err := url.Parse(s.BaseURL); err != nil || !judge.Loopback(server.Hostname()) {
		about.Paid = judge.Always
	}
	return about
}

// Identity holds what changes answers. The key is part of it, because a gateway may
// choose by it.
func (s Settings) Identity(name, model string) string {
	return judge.Identity(name, "base_url", s.BaseURL, "api_key_env", s.APIKeyEnv, "model", model, "num_predict", s.NumPredict)
}

// Access is where prompts go and with which key.
type Access struct {
	Base    string      // URL
	Key     string      // "" sends none
	KeyName string      // the key's variable, for messages
	TLS     *tls.Config // nil for the usual one
}

// Access returns how the service is asked; usual has the defaults. Without trust a server
// of this machine gets no key, whatever its variable is called: any program may listen
// there. A repository that names another variable than the usual one is refused with an
// error that says so; without it the server's refusal would look like the cause.
func (s Settings) Access(site *judge.Site, usual Settings) (a Access, err error) {
	a.Base, a.KeyName = cmp.Or(s.BaseURL, usual.BaseURL), cmp.Or(s.APIKeyEnv, usual.APIKeyEnv)
	if _, err := site.Server("base_url", a.Base); err != nil {
		return Access{}, err
	}
	a.Key = site.Getenv(a.KeyName)
	if site.Trusted() {
		a.TLS, err = s.tls(site)
		return a, err
	}
	if s.CAFile+s.CertFile+s.KeyFile != "" {
		return Access{}, judge.NotTrusted(site.Program, "`ca_file` or `client_cert_file` decides who may answer, and as whom Sentinel asks")
	}
	if a.KeyName != usual.APIKeyEnv {
		return Access{}, judge.NotTrusted(site.Program, fmt.Sprintf("`api_key_env` names %s", a.KeyName))
	}
	if a.Key != "" {
		a.Key, a.KeyName = "", a.KeyName+", which is not sent before `"+text.Command(site.Program, "trust")+"`"
	}
	return a, nil
}

// maxPEM bounds a file of certificates, in bytes.
const maxPEM = 1 << 20

// tls is how the server is known, and Sentinel to it; nil for the usual way.
func (s Settings) tls(site *judge.Site) (*tls.Config, error) {
	if s.CAFile+s.CertFile+s.KeyFile == "" {
		return nil, nil
	}
	config := &tls.Config{}
	if s.CAFile != "" {
		pem, err := readPEM(site, "ca_file", s.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%w: `ca_file`: %s holds no certificate in PEM", sentinel.ErrUnavailable, s.CAFile)
		}
	}
	if s.CertFile == "" && s.KeyFile == "" {
		return config, nil
	}
	cert, err := readPEM(site, "client_cert_file", s.CertFile)
	if err != nil {
		return nil, err
	}
	key, err := readPEM(site, "client_key_file", cmp.Or(s.KeyFile, s.CertFile))
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%w: `client_cert_file` and `client_key_file`: %w", sentinel.ErrUnavailable, err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// readPEM reads a file of the user's that a setting names.
func readPEM(site *judge.Site, key, path string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(cmp.Or(site.Getenv("HOME"), site.Getenv("USERPROFILE")), rest)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(site.Dir, path)
	}
	data, err := safefile.Read(path, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("%w: `%s`: %w", sentinel.ErrUnavailable, key, err)
	}
	return data, nil
}
