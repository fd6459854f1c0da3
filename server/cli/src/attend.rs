//! `bridgemaster attend`: any bot attends a queue, with one process for each match.

use anyhow::Context as _;
use bridgemaster_bot_process::{BotCommand, BotProcess, is_program};
use bridgemaster_bots::TlsArgs;
use bridgemaster_proto::{outside::Outside, v1};
use bridgemaster_sdk::{
    ApiKey, AttendOptions, CA_VARIABLE, CLIENT_CERT_VARIABLE, CLIENT_KEY_VARIABLE, Connection,
    DEFAULT_SERVER_URL, KEY_VARIABLE, QUEUE_VARIABLE, SERVER_VARIABLE, SLOTS_VARIABLE, Told,
};
use clap::Args;
use tokio::{select, task::JoinSet};

use super::{
    failure::misuse,
    low_priority::PriorityFlag,
    output,
    runtime::block_on,
    stop_signal::{asked_to_stop, turn_on_signals},
};

#[derive(Args)]
#[command(
    after_help = "COMMAND is started for each match: with the server's address in \
        BRIDGEMASTER_SERVER, the join ticket of its seat in BRIDGEMASTER_TICKET, the queue in \
        BRIDGEMASTER_QUEUE, and the key in BRIDGEMASTER_KEY. With both, the SDKs look for a lost \
        server for 10 minutes. Its Hello must have the version that --bot-version says.\n\n\
        Ctrl-C leaves the queue and waits for the matches in play; a second one ends them. Where \
        there are such signals, SIGUSR1 pauses the bot and SIGUSR2 lets it go on.\n\n  \
        bridgemaster attend --queue cup -- python3 my_bot.py\n  \
        bridgemaster attend --queue cup --slots 4 --bot-version 1.2 -- ./my_bot"
)]
pub(super) struct AttendArgs {
    /// The queue: the name of a contest or a ladder
    #[arg(long, value_name = "NAME", env = QUEUE_VARIABLE)]
    queue: String,
    /// Matches at once, 1 to 64: each is a process
    #[arg(long, value_name = "NUMBER", env = SLOTS_VARIABLE, default_value_t = 1)]
    slots: u32,
    /// Name of the bot; on a server that asks for keys, the name of the key counts instead
    #[arg(long, value_name = "NAME", default_value = "bot")]
    name: String,
    /// Version of the bot, as its Hello says it
    #[arg(long, value_name = "TEXT", default_value = "")]
    bot_version: String,
    /// Address of the server
    #[arg(long, value_name = "URL", env = SERVER_VARIABLE, default_value = DEFAULT_SERVER_URL)]
    server: String,
    /// API key of the bot, for a server that asks for one
    #[arg(long, value_name = "KEY", env = KEY_VARIABLE, hide_env_values = true)]
    key: Option<String>,
    #[command(flatten)]
    tls: TlsArgs,
    #[command(flatten)]
    priority: PriorityFlag,
    /// The command that starts the bot, after `--`
    #[arg(last = true, value_name = "COMMAND", required = true)]
    command: Vec<String>,
}

/// A process whose match is over, or that ended before.
struct Left {
    match_id: String,
    /// What is to be told of it; nothing if it ended well.
    problem: Option<String>,
}

impl AttendArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.priority.take_on()?;
        let command = self.bot_command()?;
        let options = self.options()?;
        block_on(async move {
            let connection = Connection::with_tls(&options.server_url, &options.tls)
                .map_err(|error| misuse(error.to_string()))?;
            attend(&connection, options, &command).await
        })
    }

    fn options(&self) -> anyhow::Result<AttendOptions> {
        let key = self.key.as_deref().map(str::parse::<ApiKey>).transpose();
        Ok(AttendOptions {
            slots: self.slots,
            key: key.map_err(|error| misuse(format!("--key: {error}")))?,
            tls: self.tls.clone().into(),
            bot_version: self.bot_version.clone(),
            ..AttendOptions::new(&self.server, &self.queue, &self.name)
        })
    }

    fn bot_command(&self) -> anyhow::Result<BotCommand> {
        let (program, arguments) = self.command.split_first().context("the command is empty")?;
        if !is_program(program) {
            return Err(misuse(format!("{program:?} is no program that is found")));
        }
        let mut command = BotCommand::new(program).with(arguments).in_own_group();
        if let Some(key) = &self.key {
            command = command.with_variable(KEY_VARIABLE, key);
        }
        let files = [
            (CA_VARIABLE, &self.tls.ca),
            (CLIENT_CERT_VARIABLE, &self.tls.client_cert),
            (CLIENT_KEY_VARIABLE, &self.tls.client_key),
        ];
        for (variable, file) in files {
            if let Some(file) = file {
                command = command.with_variable(variable, file);
            }
        }
        Ok(command)
    }
}

/// Holds the attendance, and starts a process for each offer.
async fn attend(
    connection: &Connection,
    options: AttendOptions,
    command: &BotCommand,
) -> anyhow::Result<()> {
    let attending = connection.attending(options.clone());
    let mut attending = attending.map_err(|error| misuse(error.to_string()))?;
    let mut playing: JoinSet<Left> = JoinSet::new();
    tokio::spawn(turn_on_signals(options.pause.clone()));
    let mut stop = Box::pin(asked_to_stop());
    let mut is_leaving = false;
    loop {
        let told = select! {
            told = attending.next() => told?,
            Some(left) = playing.join_next() => {
                tell(left?);
                continue;
            }
            () = &mut stop => {
                if is_leaving {
                    return Ok(());
                }
                is_leaving = true;
                stop = Box::pin(asked_to_stop());
                output::complain("leaving: matches in play go on; Ctrl-C ends them");
                attending.leave().await?;
                continue;
            }
        };
        match told {
            Some(Told::Offer(offer)) => {
                let seat = options.for_seat(&offer)?;
                let process =
                    command.start_offered(&seat.server_url, &offer.ticket, &options.queue);
                let process = process.with_context(|| {
                    let program = command.words().next().map(|word| word.to_string_lossy());
                    format!("{} cannot be started", program.unwrap_or_default())
                })?;
                output::complain(&started(&offer));
                playing.spawn(played(process, offer.match_id));
            }
            Some(Told::Attendance(attendance)) if attendance.detail.is_empty() => {}
            Some(Told::Attendance(attendance)) => {
                output::complain(&format!("{}", Outside(attendance.detail)));
            }
            Some(Told::Withdrawn(withdrawn)) => {
                let (offer, why) = (Outside(withdrawn.offer_id), Outside(withdrawn.detail));
                output::complain(&format!("offer {offer} holds no more: {why}"));
            }
            None => break,
        }
    }
    while let Some(left) = playing.join_next().await {
        tell(left?);
    }
    Ok(())
}

fn started(offer: &v1::Offer) -> String {
    let (game, id) = (Outside(&offer.game_id), Outside(&offer.match_id));
    format!("match {id} of {game}, seat {}", offer.seat)
}

async fn played(mut process: BotProcess, match_id: String) -> Left {
    let problem = match process.ended().await {
        Ok(status) if status.success() => None,
        Ok(status) => {
            let last_words = process.last_words().await;
            Some(format!(
                "{status}; the end of its standard error:\n{last_words}"
            ))
        }
        Err(error) => Some(error.to_string()),
    };
    Left { match_id, problem }
}

fn tell(left: Left) {
    let id = Outside(&left.match_id);
    match left.problem {
        None => output::complain(&format!("match {id}: played")),
        Some(problem) => output::complain(&format!("match {id}: the bot failed: {problem}")),
    }
}
