//! The keyboard, while a match is watched.

use std::{future::pending, io::IsTerminal as _, thread, time::Duration};

use crossterm::{
    event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    terminal,
};
use tokio::sync::mpsc;

/// Interval at which the thread that reads keys looks whether it is still wanted.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// Keys that wait to be handled; a person types slower.
const QUEUE: usize = 16;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Scroll the table.
    Up,
    Down,
    Left,
    Right,
    /// Scroll the news to earlier ones.
    Earlier,
    /// Scroll the news to later ones.
    Later,
    /// Back to the beginning of the table and the latest news.
    Home,
    /// Draw anew, for a terminal of another size.
    Redraw,
    /// Watch no longer.
    End,
}

/// The keys that are pressed. While there is one, the terminal neither shows them nor turns them
/// into lines or signals.
pub(super) struct Keys {
    pressed: mpsc::Receiver<Key>,
    _raw: RawMode,
}

impl Keys {
    /// Listens to the keyboard, if there is one.
    pub(super) fn start() -> Option<Self> {
        if !std::io::stdin().is_terminal() {
            return None;
        }
        let raw = RawMode::begin()?;
        let (sender, pressed) = mpsc::channel(QUEUE);
        thread::spawn(move || {
            while !sender.is_closed() {
                let key = match event::poll(LOOK_INTERVAL) {
                    Ok(false) => continue,
                    Ok(true) => event::read().map(|event| meaning(&event)),
                    Err(error) => Err(error),
                };
                match key {
                    Ok(None) => {}
                    // Of keys that come faster than they are handled some are left out.
                    Ok(Some(key)) => drop(sender.try_send(key)),
                    // The terminal is gone.
                    Err(_) => return,
                }
            }
        });
        Some(Self { pressed, _raw: raw })
    }

    /// The next key; never comes without a keyboard.
    pub(super) async fn next(keys: &mut Option<Self>) -> Key {
        let key = match keys {
            Some(keys) => keys.pressed.recv().await,
            None => None,
        };
        match key {
            Some(key) => key,
            None => pending().await,
        }
    }
}

/// The terminal hands every key over as it is, until this is dropped.
struct RawMode;

impl RawMode {
    fn begin() -> Option<Self> {
        terminal::enable_raw_mode().ok().map(|()| Self)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // A terminal that is gone needs no mending.
        let _ = terminal::disable_raw_mode();
    }
}

fn meaning(event: &Event) -> Option<Key> {
    let KeyEvent {
        code, modifiers, ..
    } = match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        Event::Resize(..) => return Some(Key::Redraw),
        _ => return None,
    };
    match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => Some(Key::End),
        KeyCode::Char('q') | KeyCode::Esc => Some(Key::End),
        KeyCode::Up => Some(Key::Up),
        KeyCode::Down => Some(Key::Down),
        KeyCode::Left => Some(Key::Left),
        KeyCode::Right => Some(Key::Right),
        KeyCode::PageUp => Some(Key::Earlier),
        KeyCode::PageDown => Some(Key::Later),
        KeyCode::Home => Some(Key::Home),
        _ => None,
    }
}
