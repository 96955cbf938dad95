//! Answers of the person at the keyboard: single keys on a terminal, lines elsewhere.

use std::io::{self, BufRead as _, IsTerminal as _};

/// Where answers come from.
pub(crate) struct Keys {
    is_terminal: bool,
}

impl Keys {
    /// Looks whether somebody sits there.
    pub(crate) fn new() -> Self {
        Self { is_terminal: io::stdin().is_terminal() }
    }

    /// Returns the next answer in lower case, without white space around it; none at the end of
    /// the input.
    pub(crate) fn ask(&self) -> io::Result<Option<String>> {
        if self.is_terminal
            && let Some(key) = terminal::key()?
        {
            return Ok(match key {
                // Ctrl-C and Ctrl-D: everything answered is on the disk.
                '\u{3}' | '\u{4}' => None,
                key => Some(key.to_lowercase().to_string()),
            });
        }
        let mut line = Vec::new();
        let n = io::stdin().lock().read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line).trim().to_lowercase();
        Ok((n > 0).then_some(line))
    }
}

#[cfg(unix)]
mod terminal {
    use std::io::{self, Read as _};

    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

    /// Waits for a key without Return. None if the terminal cannot do that.
    ///
    /// The terminal is changed only while we wait, so that nothing has to be put back when the
    /// program ends elsewhere.
    pub(super) fn key() -> io::Result<Option<char>> {
        let stdin = io::stdin();
        let Ok(before) = tcgetattr(&stdin) else { return Ok(None) };
        let mut while_waiting = before.clone();
        let off = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        while_waiting.local_modes.remove(off);
        while_waiting.special_codes[SpecialCodeIndex::VMIN] = 1;
        while_waiting.special_codes[SpecialCodeIndex::VTIME] = 0;
        if tcsetattr(&stdin, OptionalActions::Now, &while_waiting).is_err() {
            return Ok(None);
        }
        let mut byte = [0];
        let read = stdin.lock().read(&mut byte);
        // A terminal that has gone cannot be put back, and needs not be.
        let _ = tcsetattr(&stdin, OptionalActions::Now, &before);
        Ok(Some(match read? {
            0 => '\u{4}',
            _ => char::from(byte[0]),
        }))
    }
}

#[cfg(not(unix))]
mod terminal {
    use std::io;

    pub(super) fn key() -> io::Result<Option<char>> {
        Ok(None)
    }
}
