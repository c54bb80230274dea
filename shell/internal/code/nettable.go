package code

import (
	"slices"
	"strings"
)

// netModules are the modules and classes each of whose calls talks to another machine.
var netModules = [...]struct{ lang, names string }{
	{"python", "requests httpx aiohttp urllib3 smtplib ftplib telnetlib paramiko boto3 websocket websockets http.client pycurl"},
	{"node", "axios got superagent needle net tls dgram http https http2 undici node-fetch ws Bun.connect Deno.connect"},
	{"ruby", "HTTParty RestClient Faraday Net::HTTP Net::HTTPS Net::FTP Net::SMTP Net::SSH Net::SCP Net::SFTP TCPSocket UDPSocket TCPServer " +
		"UDPServer Socket OpenSSL::SSL::SSLSocket Excon Typhoeus HTTP HTTPClient HTTPX"},
	{"perl", "IO::Socket IO::Socket::INET IO::Socket::INET6 IO::Socket::IP IO::Socket::SSL HTTP::Tiny HTTP::Request HTTP::Request::Common LWP::UserAgent " +
		"LWP::Simple WWW::Mechanize Mojo::UserAgent Net::FTP Net::SMTP Net::SSH Net::OpenSSH Furl"},
	{"lua", "socket.http http ssl.https"},
	{"php", "Guzzle GuzzleHttp\\Client SoapClient"},
}

// netCalls are other calls that talk to another machine, by their last name.
const netCalls = "urlopen urlretrieve create_connection HTTPConnection HTTPSConnection FTP FTP_TLS SMTP SMTP_SSL Telnet fetch WebSocket " +
	"XMLHttpRequest open_connection createConnection SSHClient ServerProxy fsockopen pfsockopen stream_socket_client socket_create socket_connect " +
	"curl_init curl_exec getstore getprint connectTLS EventSource sendBeacon OpenerDirector build_opener"

// netNamed are calls that talk to another machine in some languages.
var netNamed = [...]struct{ lang, names, needs string }{
	{"python", "socket.socket socket.create_server socket.fromfd websocket.connect websockets.connect", "socket"},
	{"node", "got axios superagent needle request io nodeFetch node-fetch", ""},
	{"perl", "socket accept connect get mirror head", "Socket LWP http"},
	{"ruby", "URI.open OpenURI.open_uri", ""},
	{"lua", "socket.tcp socket.connect http.request https.request socket.udp", ""},
	{"php", "socket_accept", ""},
}

// fileReads are calls whose value is the content of the file that they are given.
const fileReads = "open read_text read_bytes readFile readFileSync createReadStream openAsBlob readTextFile readTextFileSync file_get_contents fopen " +
	"readlines binread read foreach file lines slurp read_file read_binary readfile openSync CURLFile curl_file_create read_lines fileFromSync blobFrom"

// takesFile are methods of connections, archives and messages that take a path.
const takesFile = "upload_file upload put fput_object put_file upload_from_filename attach attach_file add_file fastPut sendFile add write " +
	"addLocalFile addLocalFolder file transfer append_file upload! storlines"

// fileWrites are calls that write what they are given to the file of one of their
// arguments: its place is in the list.
var fileWrites = [...]struct {
	names string
	place int
}{
	{"writeFile writeFileSync outputFile outputFileSync writeTextFile writeTextFileSync file_put_contents binwrite appendFile appendFileSync Deno.writeFile", 0},
	{"getstore urlretrieve mirror download", 1},
	{"copy_stream copy copy2 copyfile copyFile copyFileSync copySync move rename renameSync mv cp copytree", 1},
}

// transfers are calls that give what they have to a connection, a file or a program.
const transfers = "write writelines end puts print printf syswrite send sendall sendto send_message sendmail sendFile pipe pipeTo pipeline copyfileobj copy_stream fwrite fputs " +
	"socket_write socket_send request post put patch communicate sendfile curl_setopt curl_setopt_array emit publish dump write_bytes write_text stdin.write"

// feeds are the transfers that a program may be at the end of.
const feeds = "write writelines end puts print printf syswrite send pipe pipeTo pipeline communicate copyfileobj copy_stream fwrite fputs"

// names that are looked up, which carries data to their server.
const lookups = "gethostbyname getaddrinfo gethostbyname_ex getaddress lookup resolve resolve4 resolveTxt dns_get_record"

// processes are calls that start a program.
const processes = "Popen spawn spawnSync popen popen2 popen3 proc_open create_subprocess_exec create_subprocess_shell exec execFile Command capture2 capture3"

// isNetwork reports whether a call talks to another machine.
func (c *scanner) isNetwork(name string) bool {
	last := lastName(name)
	if isOneOf(last, netCalls) {
		return true
	}
	for i := range netModules {
		if netModules[i].lang != c.lang || isOneOf(last, "STATUS_CODES Agent Server METHODS gethostname") {
			continue
		}
		owner := name
		if c.lang != "node" && c.lang != "perl" { // a module is not a function there
			owner = cutOwner(name)
		}
		for ; owner != ""; owner = cutOwner(owner) {
			if isOneOf(owner, netModules[i].names) {
				return true
			}
		}
	}
	for i := range netNamed {
		if n := &netNamed[i]; n.lang == c.lang && isOneOf(name, n.names) {
			return n.needs == "" || slices.ContainsFunc(strings.Fields(n.needs), c.mentions)
		}
	}
	return false
}
