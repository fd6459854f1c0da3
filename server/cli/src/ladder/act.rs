//! Organisers' actions: `bridgemaster ladder bench`, `disqualify`, `remove`, `annul`, `edit`,
//! `reopen`, `revert` and `actions`.

use bridgemaster_proto::{
    escape::Escaped,
    v1::{
        ActOnLadderRequest, LadderAction, LadderBotRef, LadderSettings, ListLadderActionsRequest,
        ListLadderActionsResponse, NameList, ReopenLadder, ladder_action::Action,
    },
};
use clap::{Args, Subcommand};

use crate::{
    failure::misuse,
    formats,
    ladder::{client, standings},
    match_client::{ServerFlag, all_pages, message},
    output,
    quantities::utc,
    table,
};

#[derive(Subcommand)]
pub(super) enum ActCommand {
    /// Bench a bot: it is not paired
    Bench {
        #[command(flatten)]
        target: Target,
        /// Name of the bot
        bot: String,
        /// Version of the bot [default: all]
        #[arg(long, default_value = "", hide_default_value = true)]
        version: String,
    },
    /// Disqualify a bot: it is neither paired nor ranked, but its results count
    Disqualify {
        #[command(flatten)]
        target: Target,
        /// Name of the bot
        bot: String,
    },
    /// Remove a bot: annul its results, and refuse it and confusable names
    Remove {
        #[command(flatten)]
        target: Target,
        /// Name of the bot
        bot: String,
    },
    /// Annul a match, or all results of a bot until now
    Annul(AnnulArgs),
    /// Change admission, house bots, places or the closing rule of a ladder
    Edit(EditArgs),
    /// Reopen a frozen ladder
    Reopen {
        #[command(flatten)]
        target: Target,
    },
    /// Revert an action of an organiser
    Revert {
        #[command(flatten)]
        target: Target,
        /// Number of the action, as `ladder actions` prints it
        number: u32,
    },
    /// List the actions of the organisers, with reasons
    Actions {
        #[command(flatten)]
        server: ServerFlag,
        /// Name of the ladder
        ladder: String,
        /// Print the actions as JSON, in the form of a ListLadderActionsResponse
        #[arg(long)]
        json: bool,
    },
}

/// The ladder on which an organiser acts, and the reason.
#[derive(Args)]
pub(super) struct Target {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// Reason for the action, which everyone who reads the ladder sees
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

#[derive(Args)]
pub(super) struct AnnulArgs {
    #[command(flatten)]
    target: Target,
    /// Identifier of the match
    #[arg(required_unless_present = "bot")]
    match_id: Option<String>,
    /// Annul all results of this bot instead
    #[arg(long, value_name = "BOT", conflicts_with = "match_id")]
    bot: Option<String>,
    /// Version of the bot [default: all]
    #[arg(long, requires = "bot", default_value = "", hide_default_value = true)]
    version: String,
}

#[derive(Args)]
pub(super) struct EditArgs {
    #[command(flatten)]
    target: Target,
    /// Admit only the bots whose API keys have these names (repeatable)
    #[arg(long = "admit", value_name = "NAME")]
    key_names: Vec<String>,
    /// Admit all bots
    #[arg(long, conflicts_with = "key_names")]
    admit_all: bool,
    /// House bots, NAME or NAME@VERSION (repeatable)
    #[arg(long = "house-bot", value_name = "BOT")]
    house_bots: Vec<String>,
    /// Have no house bots
    #[arg(long, conflicts_with = "house_bots")]
    no_house_bots: bool,
    /// Maximum number of concurrent matches
    #[arg(long, value_name = "N")]
    max_matches: Option<u32>,
    /// Maximum number of concurrent matches per bot
    #[arg(long, value_name = "N")]
    max_slots: Option<u32>,
    /// End the closing round once the order of the top N bots is settled (0: never)
    #[arg(long, value_name = "N")]
    settled_top: Option<u32>,
    /// Confidence at which the order of the top bots counts as settled
    #[arg(long, value_name = "SHARE")]
    confidence: Option<f64>,
    /// Maximum number of matches per bot in the closing round
    #[arg(long, value_name = "N")]
    closing_matches: Option<u32>,
}

impl ActCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let (target, action) = match self {
            Self::Bench { target, bot, version } => (target, Action::Bench(bot_ref(bot, version))),
            Self::Disqualify { target, bot } => (target, Action::DisqualifyBotName(bot)),
            Self::Remove { target, bot } => (target, Action::RemoveBotName(bot)),
            Self::Annul(AnnulArgs { target, match_id, bot, version }) => match bot {
                Some(bot) => (target, Action::AnnulResults(bot_ref(bot, version))),
                None => (target, Action::AnnulMatchId(match_id.unwrap_or_default())),
            },
            Self::Edit(args) => return args.run().await,
            Self::Reopen { target } => (target, Action::Reopen(ReopenLadder {})),
            Self::Revert { target, number } => (target, Action::RevertNumber(number)),
            Self::Actions { server, ladder, json } => return list(&server, ladder, json).await,
        };
        target.act(action).await
    }
}

impl Target {
    async fn act(self, action: Action) -> anyhow::Result<()> {
        let mut client = client::connect(&self.server).await?;
        let action =
            LadderAction { reason: self.reason, action: Some(action), ..LadderAction::default() };
        let request = ActOnLadderRequest { ladder_id: self.ladder, action: Some(action) };
        let action = message(client.act_on_ladder(request).await)?.action.unwrap_or_default();
        let text = Escaped(description(&action)).to_string();
        Ok(output::print(&format!("action {}: {text}\n", action.number))?)
    }
}

impl EditArgs {
    async fn run(self) -> anyhow::Result<()> {
        let list = |names: Vec<String>, is_cleared: bool| {
            (is_cleared || !names.is_empty()).then_some(NameList { names })
        };
        let mut settings = LadderSettings {
            key_names: list(self.key_names, self.admit_all),
            house_bots: list(self.house_bots, self.no_house_bots),
            max_matches: self.max_matches,
            max_slots: self.max_slots,
            closing: None,
        };
        let (top, share, matches) = (self.settled_top, self.confidence, self.closing_matches);
        if top.is_some() || share.is_some() || matches.is_some() {
            let mut client = client::connect(&self.target.server).await?;
            let ladder = client::get(&mut client, &self.target.ladder).await?;
            let mut closing = ladder.closing.unwrap_or_default();
            closing.settled_top = top.unwrap_or(closing.settled_top);
            closing.confidence = share.unwrap_or(closing.confidence);
            closing.max_matches_per_bot = matches.unwrap_or(closing.max_matches_per_bot);
            settings.closing = Some(closing);
        }
        if settings == LadderSettings::default() {
            return Err(misuse("name at least one setting to change, such as --max-matches 8"));
        }
        self.target.act(Action::Edit(settings)).await
    }
}

fn bot_ref(bot_name: String, bot_version: String) -> LadderBotRef {
    LadderBotRef { bot_name, bot_version }
}

async fn list(server: &ServerFlag, ladder: String, json: bool) -> anyhow::Result<()> {
    let mut client = client::connect(server).await?;
    let actions = all_pages(async |page_token| {
        let page_size = client::PAGE_SIZE;
        let request = ListLadderActionsRequest { ladder_id: ladder.clone(), page_size, page_token };
        let page = message(client.list_ladder_actions(request).await)?;
        Ok((page.actions, page.next_page_token))
    });
    let response =
        ListLadderActionsResponse { actions: actions.await?, next_page_token: String::new() };
    formats::print("ListLadderActionsResponse", &response, json, |response| {
        if response.actions.is_empty() {
            return "the organisers have not acted\n".to_owned();
        }
        let rows = response.actions.iter().map(|action| {
            let at = i64::try_from(action.at_unix_ms).unwrap_or(i64::MAX);
            vec![
                action.number.to_string(),
                utc(at),
                action.key_name.clone(),
                description(action),
                action.reason.clone(),
                Some(action.reverted_by)
                    .filter(|by| *by > 0)
                    .map_or_else(String::new, |by| format!("by {by}")),
            ]
        });
        let header = ["action", "time", "organiser", "effect", "reason", "reverted"];
        let width = Some(standings::width());
        table::narrowed(&header, rows.collect(), &["time"], "--json has all", width)
    })
}

/// Describes an action. The text is not escaped.
fn description(action: &LadderAction) -> String {
    let bot = |bot: &LadderBotRef| match &*bot.bot_version {
        "" => bot.bot_name.clone(),
        version => format!("{} {version}", bot.bot_name),
    };
    match &action.action {
        Some(Action::Bench(one)) => format!("benched {}", bot(one)),
        Some(Action::DisqualifyBotName(name)) => format!("disqualified {name}"),
        Some(Action::RemoveBotName(name)) => format!("removed {name}"),
        Some(Action::AnnulMatchId(id)) => format!("annulled match {id}"),
        Some(Action::AnnulResults(one)) => format!("annulled the results of {}", bot(one)),
        Some(Action::Edit(settings)) => changed(settings),
        Some(Action::Reopen(_)) => "reopened the ladder".to_owned(),
        Some(Action::RevertNumber(number)) => format!("reverted action {number}"),
        None => "an action that this program does not know".to_owned(),
    }
}

fn changed(settings: &LadderSettings) -> String {
    let names = |list: &NameList| list.names.join(", ");
    let closing = settings.closing.map(|rule| {
        let (top, share, matches) = (rule.settled_top, rule.confidence, rule.max_matches_per_bot);
        format!("settled top {top}, confidence {share}, closing matches {matches}")
    });
    let parts = [
        settings.key_names.as_ref().map(|list| format!("admission [{}]", names(list))),
        settings.house_bots.as_ref().map(|list| format!("house bots [{}]", names(list))),
        settings.max_matches.map(|max| format!("max matches {max}")),
        settings.max_slots.map(|max| format!("max slots {max}")),
        closing,
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!("set {}", parts.join("; "))
}
