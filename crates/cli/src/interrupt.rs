//! Ctrl-C: the first asks the run to stop, the second ends it at once.
//!
//! A run looks at its [`Stop`] between pieces of work. It cannot look while it waits for standard
//! input, so a stream is handed to it through a pipe whose end we hold and can let go of.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use retold::Stop;

use crate::args::Color;
use crate::failure::code;
use crate::terminal;

/// The wish of the person at the keyboard; one for the process, as signals are.
pub(crate) static STOP: LazyLock<Stop> = LazyLock::new(Stop::new);

/// Takes over Ctrl-C and requests to terminate. `reads_stdin` says that the run reads `-`.
pub(crate) fn watch(color: Color, reads_stdin: bool) {
    let gate = if reads_stdin { stream::gate() } else { None };
    let was_asked = AtomicBool::new(false);
    // Without a handler the system's own stays: the process ends, the hidden folder is litter.
    let _ = ctrlc::set_handler(move || {
        if was_asked.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(code::STOPPED));
        }
        STOP.set();
        terminal::say("note", "stopping… (once more to end at once)", color);
        if let Some(gate) = &gate {
            stream::close(gate);
        }
    });
}

#[cfg(unix)]
mod stream {
    use std::fs::File;
    use std::io::{self, PipeWriter, Read, Write};
    use std::os::fd::AsFd;
    use std::sync::{Arc, Mutex};
    use std::thread;

    use crate::args::Color;
    use crate::terminal;

    /// The writing end of the pipe that stands for standard input; `None` once it is closed.
    pub(super) type Gate = Arc<Mutex<Option<PipeWriter>>>;

    /// Puts a pipe in the place of standard input and copies into it.
    ///
    /// A regular file never keeps anybody waiting and stays as it is. So does a stream for which
    /// no pipe can be had.
    pub(super) fn gate() -> Option<Gate> {
        let mut stdin = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
        if stdin.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return None;
        }
        let (reader, writer) = io::pipe().ok()?;
        rustix::stdio::dup2_stdin(&reader).ok()?;
        let gate: Gate = Arc::new(Mutex::new(Some(writer)));
        let held = Arc::clone(&gate);
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let n = match stdin.read(&mut buffer) {
                    Ok(n) => n,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        let text = format!("standard input broke off: {error}");
                        terminal::say("warning", &text, Color::Auto);
                        0
                    }
                };
                let mut gate = held.lock().expect("nobody panics while holding the pipe");
                let is_open = match gate.as_mut() {
                    Some(pipe) => n > 0 && pipe.write_all(&buffer[..n]).is_ok(),
                    None => false,
                };
                if !is_open {
                    *gate = None;
                    return;
                }
            }
        });
        Some(gate)
    }

    /// Ends the stream as soon as the copier does not write: while it does, the run has input.
    pub(super) fn close(gate: &Gate) {
        let gate = Arc::clone(gate);
        thread::spawn(move || *gate.lock().expect("nobody panics while holding the pipe") = None);
    }
}

#[cfg(not(unix))]
mod stream {
    /// Nothing is put in the place of standard input here.
    pub(super) enum Gate {}

    pub(super) fn gate() -> Option<Gate> {
        None
    }

    pub(super) fn close(_: &Gate) {}
}
