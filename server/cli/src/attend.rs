//! `bridgemaster attend`: lets a bot in any language attend a queue, with one process per match.

use anyhow::Context as _;
use bridgemaster_bot_process::{BotCommand, BotProcess, Isolation, program_path};
use bridgemaster_proto::{escape::Escaped, v1};
use bridgemaster_sdk::{
    ApiKey, AttendEvent, AttendOptions, AttendanceSession, Connection, KEY_VARIABLE,
    QUEUE_VARIABLE, SLOTS_VARIABLE, Slot, TICKET_VARIABLE, TlsOptions,
};
use clap::Args;
use tokio::{select, task::JoinSet};

use crate::{
    bot_choice::{BotEnvFlag, bot_command, failure_of},
    failure::misuse,
    match_client::ServerFlag,
    output,
    process::{PriorityFlag, block_on, pause_on_signals, stop_requested},
};

/// The reason that is sent to the server with a declined offer.
const CANNOT_START: &str = "the process of the bot cannot be started";

#[derive(Args)]
#[command(
    after_help = "Starts COMMAND for each match with these variables: BRIDGEMASTER_SERVER (address \
        of the server), BRIDGEMASTER_TICKET (join ticket of the seat), BRIDGEMASTER_QUEUE and, if \
        the server requires a key, BRIDGEMASTER_KEY. Use a key that has only the play scope. The \
        version in the bot's Hello must be that of --bot-version. With both ticket and queue set, \
        the SDKs retry a lost connection for 10 minutes.\n\nCtrl-C leaves the queue and waits for \
        the matches in play; a second Ctrl-C stops their processes. On Unix, SIGUSR1 pauses the \
        bot and SIGUSR2 resumes it.\n\n  bridgemaster attend --queue cup -- python3 my_bot.py\n  \
        bridgemaster attend --queue cup --slots 4 --bot-version 1.2 -- ./my_bot"
)]
pub(super) struct AttendArgs {
    /// Queue to attend: the name of a contest or a ladder
    #[arg(long, value_name = "NAME", env = QUEUE_VARIABLE)]
    queue: String,
    /// Maximum number of matches at once, one process each (1 to 64)
    #[arg(long, value_name = "NUMBER", env = SLOTS_VARIABLE, default_value_t = 1)]
    slots: u32,
    /// Name of the bot; a server with API keys uses the key's name instead
    #[arg(long, value_name = "NAME", default_value = "bot")]
    name: String,
    /// Version of the bot, the same as in its Hello
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    bot_version: String,
    #[command(flatten)]
    server: ServerFlag,
    #[command(flatten)]
    bot_env: BotEnvFlag,
    #[command(flatten)]
    priority: PriorityFlag,
    /// Command that starts the bot, after `--`
    #[arg(last = true, value_name = "COMMAND", required = true)]
    command: Vec<String>,
}

impl AttendArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.priority.apply()?;
        let command = self.bot_command()?;
        let options = self.options();
        block_on(async move {
            let connection = Connection::with_tls(&options.server_url, &options.tls)
                .map_err(|error| misuse(error.to_string()))?;
            attend(&connection, options, command).await
        })
    }

    fn options(&self) -> AttendOptions {
        AttendOptions {
            slots: self.slots,
            key: self.server.key.clone(),
            tls: self.server.tls.clone().into(),
            bot_version: self.bot_version.clone(),
            ..AttendOptions::new(&self.server.url, &self.queue, &self.name)
        }
    }

    fn bot_command(&self) -> anyhow::Result<BotCommand> {
        let (program, arguments) = self.command.split_first().context("the command is empty")?;
        if program_path(program).is_none() {
            return Err(misuse(format!("cannot find the program {program:?}")));
        }
        let command = bot_command(program).with(arguments);
        let mut command = self.bot_env.read()?.pass_to(command);
        for (variable, file) in TlsOptions::from(self.server.tls.clone()).variables()? {
            command = command.with_variable(variable, file);
        }
        Ok(command)
    }
}

/// Attends the queue and starts a process for each offer.
async fn attend(
    connection: &Connection,
    options: AttendOptions,
    command: BotCommand,
) -> anyhow::Result<()> {
    let attending = connection.attendance(options.clone());
    let mut attending = attending.map_err(|error| misuse(error.to_string()))?;
    tokio::spawn(pause_on_signals(options.pause.clone()));
    let key = options.key.clone();
    let mut matches = Matches { options, key, command, isolation: None, playing: JoinSet::new() };
    let mut stop = Box::pin(stop_requested());
    let mut is_leaving = false;
    loop {
        let event = select! {
            event = attending.next() => event?,
            Some(exit) = matches.playing.join_next() => {
                report_exit(exit?);
                continue;
            }
            () = &mut stop => {
                if is_leaving {
                    return Ok(());
                }
                is_leaving = true;
                stop = Box::pin(stop_requested());
                output::eprint("leaving the queue; matches in play continue until another Ctrl-C");
                attending.leave().await?;
                continue;
            }
        };
        match event {
            Some(AttendEvent::Offer(offer, slot)) => {
                if let Err(error) = matches.start(connection, &offer, slot).await {
                    // A failed start must not affect the matches in play.
                    decline(&attending, &offer, &error).await;
                }
            }
            Some(AttendEvent::Attendance(attendance)) if attendance.detail.is_empty() => {}
            Some(AttendEvent::Attendance(attendance)) => {
                output::eprint(&Escaped(attendance.detail).to_string());
            }
            Some(AttendEvent::OfferWithdrawn(withdrawn)) => {
                let (offer, reason) = (Escaped(withdrawn.offer_id), Escaped(withdrawn.detail));
                output::eprint(&format!("offer {offer} was withdrawn: {reason}"));
            }
            None => break,
        }
    }
    while let Some(exit) = matches.playing.join_next().await {
        report_exit(exit?);
    }
    Ok(())
}

/// Declines an offer, because its process could not be started.
async fn decline(attending: &AttendanceSession, offer: &v1::Offer, error: &anyhow::Error) {
    let id = Escaped(&offer.match_id);
    output::eprint(&format!("match {id}: declined: {error:#}"));
    let declined = attending.decline(&offer.offer_id, CANNOT_START).await;
    if let Err(error) = declined {
        output::eprint(&format!("match {id}: {error}"));
    }
}

/// The matches that the bot plays while it attends the queue.
struct Matches {
    options: AttendOptions,
    /// The API key to pass to bots if the server requires a key. `None` once the first match has
    /// started.
    key: Option<ApiKey>,
    command: BotCommand,
    isolation: Option<Isolation>,
    playing: JoinSet<ProcessOutcome>,
}

impl Matches {
    /// Starts the process for a match. The process gets the key only if the server requires one.
    async fn start(
        &mut self,
        connection: &Connection,
        offer: &v1::Offer,
        slot: Slot,
    ) -> anyhow::Result<()> {
        let seat = self.options.for_seat(offer)?;
        if let Some(key) = self.key.take()
            && connection.requires_key().await != Some(false)
        {
            self.command =
                self.command.clone().with_variable(KEY_VARIABLE, key.metadata().to_str()?);
        }
        let queue = &*self.options.queue;
        let variables = [(TICKET_VARIABLE, &*offer.ticket), (QUEUE_VARIABLE, queue)];
        let process = self.command.start_with(&seat.server_url, &variables, None);
        let process = process.await.with_context(|| {
            let program = self.command.command_line().next();
            let program = program.map(|word| word.to_string_lossy());
            format!("cannot start {}", program.unwrap_or_default())
        })?;
        let (game, id) = (Escaped(&offer.game_id), Escaped(&offer.match_id));
        output::eprint(&format!("match {id} of {game}, seat {}", offer.seat));
        let isolation = process.isolation();
        if self.isolation.replace(isolation) != Some(isolation) {
            output::eprint(&format!("bots run in {isolation}"));
        }
        self.playing.spawn(wait_for_exit(process, offer.match_id.clone(), slot));
        Ok(())
    }
}

/// The match of a bot's process, and the reason for its failure; `None` after success.
type ProcessOutcome = (String, Option<String>);

/// Waits for a process to end, and then frees its slot.
async fn wait_for_exit(process: BotProcess, match_id: String, _: Slot) -> ProcessOutcome {
    (match_id, failure_of(process).await)
}

fn report_exit((match_id, problem): ProcessOutcome) {
    let id = Escaped(&match_id);
    match problem {
        None => output::eprint(&format!("match {id}: played")),
        Some(problem) => output::eprint(&format!("match {id}: the bot failed: {problem}")),
    }
}
