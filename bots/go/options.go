package bridgemaster

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// connectFor is the default time to retry the first connection: a bot may start slightly before
	// its server.
	connectFor = 10 * time.Second
	// reconnectFor is the default time to resume a lost stream: three times the default reconnect
	// time of a match.
	reconnectFor = 30 * time.Second
	// attendReconnectFor is the default time to resume a lost stream while a bot attends a queue,
	// and for each offered seat. A server that is restarted, moved or repaired is often unavailable
	// for minutes. A bot that stops retrying forfeits its match, so the library leaves the decision
	// to the reconnect time of the match.
	attendReconnectFor = 10 * time.Minute
	// maxSlots is the maximum number of matches that a bot plays at once.
	maxSlots = 64
	// maxNameChars is the maximum length of a bot's name and of its version.
	maxNameChars = 64
	// keyMetadata is the name of the metadata entry that carries the API key of a call.
	keyMetadata = "x-bridgemaster-key"
)

// Options are the server and seat or queue to play, and how the bot introduces itself. Zero values
// are replaced from the environment.
type Options struct {
	// Server is the address, such as "http://127.0.0.1:50051" or "https://host:50051"; the
	// addresses of a cluster are separated by commas. Default: BRIDGEMASTER_SERVER, or
	// DefaultServer.
	Server string
	// Ticket is the join ticket of the seat. Default: BRIDGEMASTER_TICKET.
	Ticket string
	// Queue is the queue to attend instead of a ticket: the name of a contest or a ladder. Default:
	// BRIDGEMASTER_QUEUE.
	Queue string
	// Slots is the number of matches that an attending bot plays at once, 1 to 64. Default:
	// BRIDGEMASTER_SLOTS, or 1.
	Slots int
	// Key is the API key, for servers that require one. Default: BRIDGEMASTER_KEY.
	Key string
	// CA is a PEM file of the certificates to trust for https:// instead of the system's. Default:
	// BRIDGEMASTER_CA.
	CA string
	// ClientCert and ClientKey are PEM files, for servers that require a client certificate.
	// Default: BRIDGEMASTER_CLIENT_CERT and BRIDGEMASTER_CLIENT_KEY.
	ClientCert, ClientKey string
	// Proxy is the address of an HTTP proxy, such as "http://127.0.0.1:3128", which connects by
	// CONNECT. Default: BRIDGEMASTER_PROXY, or no proxy. Other variables, such as HTTPS_PROXY, are
	// ignored.
	Proxy string
	// Name of the bot: 1 to 64 printable characters. Default: the name of the program. A server
	// that requires API keys uses the name of the key instead.
	Name string
	// Version of the bot: at most 64 printable characters.
	Version string
	// Games are the identifiers of the games that the bot plays, such as "alhambra"; empty for all.
	Games []string
	// ConnectFor is the time to keep trying the first connection. Default: 10 s.
	ConnectFor time.Duration
	// ReconnectFor is the time to keep trying to resume a lost stream, for each loss. Default: 30
	// s, or 10 minutes with a queue, for the attendance and for each seat offered there.
	ReconnectFor time.Duration
	// Log receives warnings. Default: log.Default().
	Log *log.Logger
}

// resolvedOptions are validated options, with all defaults filled in.
type resolvedOptions struct {
	Options
	// servers are the servers to try, in this order.
	servers []server
	// metadata has the names and values of the call's metadata, alternating.
	metadata []string
}

// withDefaults returns the options with zero values replaced from the environment or by defaults.
func (options Options) withDefaults() Options {
	fill(&options.Server, "BRIDGEMASTER_SERVER", DefaultServer)
	fill(&options.Ticket, "BRIDGEMASTER_TICKET", "")
	fill(&options.Queue, "BRIDGEMASTER_QUEUE", "")
	fill(&options.Key, "BRIDGEMASTER_KEY", "")
	fill(&options.CA, "BRIDGEMASTER_CA", "")
	fill(&options.Proxy, "BRIDGEMASTER_PROXY", "")
	fill(&options.ClientCert, "BRIDGEMASTER_CLIENT_CERT", "")
	fill(&options.ClientKey, "BRIDGEMASTER_CLIENT_KEY", "")
	options.Name = options.name()
	if options.ConnectFor == 0 {
		options.ConnectFor = connectFor
	}
	if options.ReconnectFor == 0 && options.Queue != "" {
		options.ReconnectFor = attendReconnectFor
	}
	if options.ReconnectFor == 0 {
		options.ReconnectFor = reconnectFor
	}
	if options.Log == nil {
		options.Log = log.Default()
	}
	return options
}

// shouldAttend returns whether a bot attends a queue: a queue is named, and no ticket is set.
func (options Options) shouldAttend() bool {
	options = options.withDefaults()
	return options.Ticket == "" && options.Queue != ""
}

// resolve completes and validates the options of a seat.
func (options Options) resolve() (*resolvedOptions, error) {
	options = options.withDefaults()
	if options.Ticket == "" {
		return nil, &OptionsError{"no ticket: set BRIDGEMASTER_TICKET or Options.Ticket; " +
			"creating a match returns a ticket for each seat"}
	}
	if options.Queue != "" {
		// The server was reachable a moment ago, so the first connection is retried for as long as
		// a lost stream.
		options.ConnectFor = max(options.ConnectFor, options.ReconnectFor)
	}
	return options.validate()
}

// resolveAttend completes and validates the options of an attendance, which uses no ticket.
func (options Options) resolveAttend() (*resolvedOptions, error) {
	options = options.withDefaults()
	if options.Queue == "" {
		return nil, &OptionsError{"no queue: set BRIDGEMASTER_QUEUE or Options.Queue"}
	}
	text := ""
	if options.Slots != 0 {
		text = strconv.Itoa(options.Slots)
	}
	fill(&text, "BRIDGEMASTER_SLOTS", "1")
	slots, err := strconv.Atoi(text)
	if err != nil || slots < 1 || slots > maxSlots {
		return nil, &OptionsError{
			fmt.Sprintf("slots: %q is out of range (1 to %d)", text, maxSlots)}
	}
	options.Slots, options.Ticket = slots, ""
	return options.validate()
}

// validate validates completed options and derives servers and metadata from them.
func (options Options) validate() (*resolvedOptions, error) {
	var metadata []string
	if options.Ticket != "" {
		ticket, err := validateSecret("ticket", options.Ticket)
		if err != nil {
			return nil, err
		}
		metadata = append(metadata, "authorization", "Bearer "+ticket)
	}
	if options.Key != "" {
		key, err := validateSecret("API key", options.Key)
		if err != nil {
			return nil, err
		}
		metadata = append(metadata, keyMetadata, key)
	}
	if err := validateName("Name", options.Name, 1); err != nil {
		return nil, err
	}
	if err := validateName("Version", options.Version, 0); err != nil {
		return nil, err
	}
	servers, err := parseServers(options)
	if err != nil {
		return nil, err
	}
	return &resolvedOptions{options, servers, metadata}, nil
}

// name returns the given name, or that of the program.
func (options Options) name() string {
	if options.Name != "" {
		return options.Name
	}
	return filepath.Base(os.Args[0])
}

func fill(option *string, variable, fallback string) {
	if *option == "" {
		*option = os.Getenv(variable)
	}
	if *option == "" {
		*option = fallback
	}
}

func validateSecret(what, text string) (string, error) {
	text = strings.TrimSpace(text)
	isInvalid := func(char rune) bool { return char < '!' || char > '~' }
	if text == "" || strings.ContainsFunc(text, isInvalid) {
		return "", &OptionsError{
			fmt.Sprintf("the %s is not valid: it must be printable ASCII without spaces", what)}
	}
	return text, nil
}

func validateName(option, text string, minChars int) error {
	isInvalid := func(char rune) bool { return !unicode.IsPrint(char) }
	length := utf8.RuneCountInString(text)
	if length < minChars || length > maxNameChars || strings.ContainsFunc(text, isInvalid) {
		return &OptionsError{fmt.Sprintf("%s: %q must have %d to %d printable characters",
			option, text, minChars, maxNameChars)}
	}
	return nil
}
