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
	// connectFor: a bot may be started a little before its server.
	connectFor = 10 * time.Second
	// reconnectFor is three times the default reconnect time of a match.
	reconnectFor = 30 * time.Second
	// attendingReconnectFor is for a bot that attends a queue, and for each seat that was offered
	// there: a server that is restarted, moved or repaired is often away for minutes. A bot that gives
	// up before it is back forfeits its match, and whether it is too late is for the match's own
	// reconnect time to say.
	attendingReconnectFor = 10 * time.Minute
	// maxSlots are the most matches that a bot plays at once.
	maxSlots = 64
	// maxNameChars is the longest name and version of a bot that a server takes.
	maxNameChars = 64
	// keyMetadata names the metadata entry that carries the API key of a call.
	keyMetadata = "x-bridgemaster-key"
)

// Options say how a bot reaches its seat, and what it says about itself. What is left out is taken
// from the environment.
type Options struct {
	// Server is the address, such as "http://127.0.0.1:50051" or "https://host:50051", or those of a
	// cluster with commas between them; BRIDGEMASTER_SERVER, or DefaultServer.
	Server string
	// Ticket is the join ticket of the seat; BRIDGEMASTER_TICKET.
	Ticket string
	// Queue is the queue to attend instead of a ticket: the name of a contest or a ladder;
	// BRIDGEMASTER_QUEUE.
	Queue string
	// Slots is how many matches a bot that attends a queue plays at once, 1 to 64;
	// BRIDGEMASTER_SLOTS, or 1.
	Slots int
	// Key is the API key, for servers that ask for one; BRIDGEMASTER_KEY.
	Key string
	// CA is a PEM file of the certificates to trust for https://, instead of the system's;
	// BRIDGEMASTER_CA.
	CA string
	// ClientCert and ClientKey are PEM files, for servers that ask for a client certificate;
	// BRIDGEMASTER_CLIENT_CERT and BRIDGEMASTER_CLIENT_KEY.
	ClientCert, ClientKey string
	// Name is that of the bot: 1 to 64 printable characters; the name of the program if left out. On a
	// server that asks for API keys, the name of the key counts instead.
	Name string
	// Version is that of the bot: at most 64 printable characters.
	Version string
	// Games are the identifiers of the games that the bot plays, such as "alhambra"; none for all.
	Games []string
	// ConnectFor is how long the first connection is tried for; 10 s if left out.
	ConnectFor time.Duration
	// ReconnectFor is how long a lost server is looked for, each time; if left out 30 s, or with a queue
	// 10 minutes, for the attendance and for each seat that was offered there.
	ReconnectFor time.Duration
	// Log takes warnings; those of log.Default() if left out.
	Log *log.Logger
}

// seating are options that were checked, with all that was taken from elsewhere.
type seating struct {
	Options
	// places are the servers, in the order in which they were named.
	places []place
	// metadata are the names and values of the call's entries in turn.
	metadata []string
}

// completed returns the options with what the environment has for what was left out.
func (options Options) completed() Options {
	fill(&options.Server, "BRIDGEMASTER_SERVER", DefaultServer)
	fill(&options.Ticket, "BRIDGEMASTER_TICKET", "")
	fill(&options.Queue, "BRIDGEMASTER_QUEUE", "")
	fill(&options.Key, "BRIDGEMASTER_KEY", "")
	fill(&options.CA, "BRIDGEMASTER_CA", "")
	fill(&options.ClientCert, "BRIDGEMASTER_CLIENT_CERT", "")
	fill(&options.ClientKey, "BRIDGEMASTER_CLIENT_KEY", "")
	options.Name = options.name()
	if options.ConnectFor == 0 {
		options.ConnectFor = connectFor
	}
	if options.ReconnectFor == 0 && options.Queue != "" {
		options.ReconnectFor = attendingReconnectFor
	}
	if options.ReconnectFor == 0 {
		options.ReconnectFor = reconnectFor
	}
	if options.Log == nil {
		options.Log = log.Default()
	}
	return options
}

// attends says whether a bot is to attend a queue: one is named, and no ticket.
func (options Options) attends() bool {
	options = options.completed()
	return options.Ticket == "" && options.Queue != ""
}

// seating checks the options of a seat.
func (options Options) seating() (*seating, error) {
	options = options.completed()
	if options.Ticket == "" {
		return nil, &OptionsError{"no ticket: set BRIDGEMASTER_TICKET, or give Options.Ticket; " +
			"creating a match returns one for each seat"}
	}
	if options.Queue != "" {
		// The server that offered it was there a moment ago: one that is not reached is lost.
		options.ConnectFor = max(options.ConnectFor, options.ReconnectFor)
	}
	return options.checked()
}

// queueing checks the options of an attendance, which shows no ticket.
func (options Options) queueing() (*seating, error) {
	options = options.completed()
	if options.Queue == "" {
		return nil, &OptionsError{"no queue: set BRIDGEMASTER_QUEUE, or give Options.Queue"}
	}
	given := ""
	if options.Slots != 0 {
		given = strconv.Itoa(options.Slots)
	}
	fill(&given, "BRIDGEMASTER_SLOTS", "1")
	slots, err := strconv.Atoi(given)
	if err != nil || slots < 1 || slots > maxSlots {
		return nil, &OptionsError{
			fmt.Sprintf("a bot plays 1 to %d matches at once, not %s", maxSlots, given)}
	}
	options.Slots, options.Ticket = slots, ""
	return options.checked()
}

// checked checks completed options.
func (options Options) checked() (*seating, error) {
	var metadata []string
	if options.Ticket != "" {
		ticket, err := secret("ticket", options.Ticket)
		if err != nil {
			return nil, err
		}
		metadata = append(metadata, "authorization", "Bearer "+ticket)
	}
	if options.Key != "" {
		key, err := secret("API key", options.Key)
		if err != nil {
			return nil, err
		}
		metadata = append(metadata, keyMetadata, key)
	}
	if err := checkName("name", options.Name, 1); err != nil {
		return nil, err
	}
	if err := checkName("version", options.Version, 0); err != nil {
		return nil, err
	}
	places, err := placesOf(options)
	if err != nil {
		return nil, err
	}
	return &seating{options, places, metadata}, nil
}

// name returns the name that was given, or that of the program.
func (options Options) name() string {
	if options.Name != "" {
		return options.Name
	}
	return filepath.Base(os.Args[0])
}

func fill(option *string, variable, otherwise string) {
	if *option == "" {
		*option = os.Getenv(variable)
	}
	if *option == "" {
		*option = otherwise
	}
}

func secret(what, text string) (string, error) {
	text = strings.TrimSpace(text)
	isStrange := func(char rune) bool { return char < '!' || char > '~' }
	if text == "" || strings.ContainsFunc(text, isStrange) {
		return "", &OptionsError{
			fmt.Sprintf("the %s has characters that none has: copy it again", what)}
	}
	return text, nil
}

func checkName(what, text string, least int) error {
	isStrange := func(char rune) bool { return !unicode.IsPrint(char) }
	length := utf8.RuneCountInString(text)
	if length < least || length > maxNameChars || strings.ContainsFunc(text, isStrange) {
		return &OptionsError{fmt.Sprintf("the bot's %s %q must have %d to %d printable characters",
			what, text, least, maxNameChars)}
	}
	return nil
}
