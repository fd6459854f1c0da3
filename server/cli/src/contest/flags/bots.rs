//! Parses bots and their environment variables.

use bridgemaster_bot_process::check_variable;
use bridgemaster_bots::NAMES;
use bridgemaster_runner::BotSpec;

use crate::failure::misuse;

/// Parses the value of a `--bot` flag.
pub(in crate::contest) fn bot(text: &str) -> BotSpec {
    let Some((name, command)) = text.split_once('=') else {
        return BotSpec::built_in(text.trim());
    };
    let (name, command) = (name.trim(), command.trim());
    if let Some(key_name) = command.strip_prefix('@') {
        return BotSpec::attending(name, key_name);
    }
    if NAMES.contains(&command.split('@').next().unwrap_or_default()) {
        BotSpec {
            built_in: Some(command.to_owned()),
            ..BotSpec::built_in(name)
        }
    } else {
        BotSpec::from_command(name, command)
    }
}

/// Adds the `--bot-env` variables to bots.
pub(in crate::contest) fn pass_env(bots: &mut [BotSpec], passed: &[String]) -> anyhow::Result<()> {
    for text in passed {
        let (bot_name, name) = match text.split_once(':') {
            Some((bot_name, name)) => (Some(bot_name), name),
            None => (None, text.as_str()),
        };
        check_variable(name).map_err(|error| misuse(format!("--bot-env: {error}")))?;
        let mut is_used = false;
        for bot in &mut *bots {
            if bot.command.is_some() && bot_name.is_none_or(|name| name == bot.name) {
                is_used = true;
                bot.env.push(name.to_owned());
            }
        }
        if !is_used {
            let named = bot_name.map_or(String::new(), |name| format!(" {name:?}"));
            return Err(misuse(format!(
                "--bot-env {text}: no bot{named} has a command, so no bot would get the variable"
            )));
        }
    }
    Ok(())
}
