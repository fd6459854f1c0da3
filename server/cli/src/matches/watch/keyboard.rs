//! Keyboard input while a match is watched.

use std::{future::pending, io::IsTerminal as _, thread, time::Duration};

use crossterm::{
    event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    terminal,
};
use tokio::sync::mpsc;

/// Interval at which the reading thread checks whether the receiver was dropped.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum number of queued key presses. A few suffice, since keys are handled faster than they are
/// typed.
const QUEUE_CAPACITY: usize = 16;

/// An action, triggered by a key or by resizing the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Scrolls the table up by one line.
    Up,
    Down,
    Left,
    Right,
    /// Scrolls back to earlier events.
    Earlier,
    /// Scrolls forward to later events.
    Later,
    /// Returns to the top left of the table and the latest events.
    Home,
    /// Redraws the screen after the terminal was resized.
    Redraw,
    Quit,
}

/// Receiver for pressed keys. While this value exists, the terminal is in raw mode, without echo,
/// line editing or signals.
pub(super) struct Keyboard {
    pressed: mpsc::Receiver<Input>,
    _raw: RawMode,
}

impl Keyboard {
    /// Starts reading keys. Returns `None` if standard input is not a terminal.
    pub(super) fn start() -> Option<Self> {
        if !std::io::stdin().is_terminal() {
            return None;
        }
        let raw = RawMode::enable()?;
        let (sender, pressed) = mpsc::channel(QUEUE_CAPACITY);
        thread::spawn(move || {
            while !sender.is_closed() {
                let input = match event::poll(POLL_INTERVAL) {
                    Ok(false) => continue,
                    Ok(true) => event::read().map(|event| input_of(&event)),
                    Err(error) => Err(error),
                };
                match input {
                    Ok(None) => {}
                    // Keys are dropped while the queue is full.
                    Ok(Some(input)) => drop(sender.try_send(input)),
                    // The read fails if the terminal was closed.
                    Err(_) => return,
                }
            }
        });
        Some(Self { pressed, _raw: raw })
    }

    /// Waits for the next key. Never completes without a keyboard.
    pub(super) async fn next(keyboard: &mut Option<Self>) -> Input {
        let input = match keyboard {
            Some(keyboard) => keyboard.pressed.recv().await,
            None => None,
        };
        match input {
            Some(input) => input,
            None => pending().await,
        }
    }
}

/// Puts the terminal into raw mode until this value is dropped.
struct RawMode;

impl RawMode {
    fn enable() -> Option<Self> {
        terminal::enable_raw_mode().ok().map(|()| Self)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // Errors are ignored, since a closed terminal needs no restoring.
        let _ = terminal::disable_raw_mode();
    }
}

fn input_of(event: &Event) -> Option<Input> {
    let KeyEvent { code, modifiers, .. } = match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        Event::Resize(..) => return Some(Input::Redraw),
        _ => return None,
    };
    match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => Some(Input::Quit),
        KeyCode::Char('q') | KeyCode::Esc => Some(Input::Quit),
        KeyCode::Up => Some(Input::Up),
        KeyCode::Down => Some(Input::Down),
        KeyCode::Left => Some(Input::Left),
        KeyCode::Right => Some(Input::Right),
        KeyCode::PageUp => Some(Input::Earlier),
        KeyCode::PageDown => Some(Input::Later),
        KeyCode::Home => Some(Input::Home),
        _ => None,
    }
}
