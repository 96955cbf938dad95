//! The processes that read PDF for a run, as the run sees them.
//!
//! A process answers file after file; each thread of a run takes one that waits, or starts one. A
//! file that takes longer than its size allows costs its process: it is killed, the file is named,
//! and the next file gets a new one.
//!
//! Each process has a thread here, which starts it, writes requests, reads answers and takes its
//! exit status. The thread that wants the text waits for that thread and can give up at any moment,
//! because time is over or the run was stopped.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::frame::{self, Answer};

/// How often somebody who waits looks whether the run was stopped.
const LOOK: Duration = Duration::from_millis(20);
/// Time that a process may take to start; it has nothing to do.
const START: Duration = Duration::from_secs(10);
/// Bytes of what a dying process says that are looked at.
const MOST_LAST_WORDS: u64 = 4096;

/// The program that reads PDF files: one that calls [`serve_pdf`](crate::serve_pdf) and nothing
/// else, such as `retold read-pdf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdfHelper {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// The helpers of a run.
#[derive(Debug)]
pub(crate) struct Helpers {
    command: Option<PdfHelper>,
    /// Those that wait for a file.
    idle: Mutex<Vec<Helper>>,
}

impl Helpers {
    pub(crate) fn new(command: Option<PdfHelper>) -> Self {
        Self { command, idle: Mutex::default() }
    }

    /// Returns the text of a file, or the reason why there is none; `None` if the run was stopped.
    pub(crate) fn text_of(
        &self,
        bytes: Vec<u8>,
        most_bytes: u64,
        stop: &AtomicBool,
    ) -> Option<Answer> {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if !cfg!(feature = "pdf") {
            let reason = "is PDF, which this build does not read (feature `pdf`)";
            return Some(Err(reason.to_owned()));
        }
        let Some(command) = &self.command else {
            let reason = "is PDF, which is read in a process of its own, and no program for it was \
                          given (`ReadOptions::pdf_helper`)";
            return Some(Err(reason.to_owned()));
        };
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut helper =
            match waiting.filter(Helper::is_alive).map_or_else(|| Helper::start(command), Ok) {
                Ok(helper) => helper,
                Err(error) => {
                    let program = command.program.display();
                    let reason = format!("is PDF, and `{program}` cannot read it: {error}");
                    return Some(Err(reason));
                }
            };
        let answer = helper.ask(bytes, most_bytes, stop)?;
        if !helper.is_dead {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(helper);
        }
        Some(answer)
    }
}

/// Returns the time that a processor may spend on a file.
///
/// A bad file may cost a run a second and one for each MiB; a fifth of that is left for starting
/// and ending processes.
pub(super) fn most_time(n_bytes: u64) -> Duration {
    Duration::from_millis(800).mul_f64(1.0 + n_bytes as f64 / f64::from(1 << 20))
}

/// A file may be waited for so many times as long as a processor may spend on it, because on a busy
/// machine a good file takes longer. A helper that cannot measure its processor time gets no more
/// than that time.
const PATIENCE: u32 = if cfg!(unix) { 4 } else { 1 };

/// Exit code of a helper whose time is over.
pub(super) const LATE: u8 = 124;

/// A process that reads PDF. Dropping it ends the process.
#[derive(Debug)]
struct Helper {
    process: Arc<Mutex<Option<Child>>>,
    requests: Option<Sender<(Vec<u8>, u64)>>,
    answers: Receiver<Result<Answer, Death>>,
    thread: Option<JoinHandle<()>>,
    is_dead: bool,
}

/// How a process ended.
#[derive(Debug)]
struct Death {
    status: String,
    code: Option<i32>,
    last_words: String,
}

impl Helper {
    /// Starts a process and waits for its greeting.
    fn start(command: &PdfHelper) -> Result<Self, String> {
        let process: Arc<Mutex<Option<Child>>> = Arc::default();
        let (requests, wanted) = mpsc::channel::<(Vec<u8>, u64)>();
        let (given, answers) = mpsc::channel();
        let (started, start) = mpsc::channel();
        let (owned, command) = (Arc::clone(&process), command.clone());
        let work = move || {
            let (mut to, mut from, mut errors) = match spawn(&command, &owned) {
                Ok(pipes) => pipes,
                Err(error) => {
                    // If starting took too long, nobody receives this.
                    let _ = started.send(Err(error.to_string()));
                    return;
                }
            };
            let greeting = frame::read_greeting(&mut from);
            let is_greeted = greeting.is_ok();
            let _ = started.send(greeting.map_err(|error| error.to_string()));
            while is_greeted && let Ok((bytes, most_bytes)) = wanted.recv() {
                let asked = frame::write_request(&mut to, &bytes, most_bytes);
                drop(bytes);
                let answer = asked.and_then(|()| frame::read_answer(&mut from, most_bytes));
                let is_over = answer.is_err();
                let answer = answer.map_err(|_| reap(&owned, &mut errors));
                // The thread that asked may have given up.
                let _ = given.send(answer);
                if is_over {
                    return;
                }
            }
            drop(to);
            reap(&owned, &mut errors);
        };
        let thread = thread::Builder::new().name("pdf".to_owned()).spawn(work);
        let thread = thread.map_err(|error| error.to_string())?;
        let helper = Self {
            process,
            requests: Some(requests),
            answers,
            thread: Some(thread),
            is_dead: false,
        };
        match start.recv_timeout(START) {
            Ok(Ok(())) => Ok(helper),
            Ok(Err(reason)) => Err(reason),
            Err(_) => Err(format!("it said nothing for {} s", START.as_secs())),
        }
    }

    /// Whether the process waits for a file.
    fn is_alive(&self) -> bool {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Has a file read; `None` if the run was stopped meanwhile.
    fn ask(&mut self, bytes: Vec<u8>, most_bytes: u64, stop: &AtomicBool) -> Option<Answer> {
        let n_bytes = bytes.len();
        let began = Instant::now();
        let most = most_time(n_bytes as u64) * PATIENCE;
        // If the thread has ended, that is noticed below.
        let _ = self.requests.as_ref().map(|requests| requests.send((bytes, most_bytes)));
        loop {
            let left = most.saturating_sub(began.elapsed());
            match self.answers.recv_timeout(left.min(LOOK)) {
                Ok(Ok(answer)) => return Some(answer),
                Ok(Err(death)) => {
                    self.is_dead = true;
                    return Some(Err(death.reason(n_bytes)));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.is_dead = true;
                    return Some(Err("is PDF, and the process reading it is gone".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let is_late = began.elapsed() >= most;
                    let is_stopped = stop.load(Ordering::Relaxed);
                    if is_late || is_stopped {
                        self.is_dead = true;
                        self.end();
                    }
                    if is_stopped {
                        return None;
                    }
                    if is_late {
                        return Some(Err(late(n_bytes)));
                    }
                }
            }
        }
    }

    /// Ends the process and waits until it is gone.
    fn end(&mut self) {
        self.requests = None;
        if let Some(child) = &mut *self.process.lock().unwrap_or_else(PoisonError::into_inner) {
            // It may have ended by itself.
            let _ = child.kill();
        }
        if let Some(thread) = self.thread.take() {
            // It does not panic, and if it did there would be nothing to do.
            let _ = thread.join();
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.end();
    }
}

type Pipes = (std::process::ChildStdin, std::process::ChildStdout, std::process::ChildStderr);

/// Starts the process; its end is the caller's thread to see.
fn spawn(command: &PdfHelper, process: &Mutex<Option<Child>>) -> io::Result<Pipes> {
    let mut start = Command::new(&command.program);
    start.args(&command.arguments);
    start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // With one heap: each further one would reserve address space, which counts as used.
    start.env("MALLOC_ARENA_MAX", "1").env_remove("RUST_BACKTRACE");
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Ctrl-C is for the run, which ends the process itself.
        start.process_group(0);
    }
    let mut child = start.spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    *process.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
    match pipes {
        (Some(to), Some(from), Some(errors)) => Ok((to, from, errors)),
        _ => Err(io::Error::other("it has no pipes")),
    }
}

/// Ends a process, takes its status and what it said at last.
fn reap(process: &Mutex<Option<Child>>, errors: &mut impl Read) -> Death {
    let child = process.lock().unwrap_or_else(PoisonError::into_inner).take();
    let status = child.and_then(|mut child| {
        // One that ends by itself is left a moment to say why.
        let ends_at = Instant::now() + Duration::from_millis(100);
        while Instant::now() < ends_at && matches!(child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().ok()
    });
    let mut last_words = Vec::new();
    // If its last words cannot be read, the status is used.
    let _ = errors.take(MOST_LAST_WORDS).read_to_end(&mut last_words);
    Death {
        status: status.map_or_else(|| "unknown".to_owned(), |status| status.to_string()),
        code: status.and_then(|status| status.code()),
        last_words: String::from_utf8_lossy(&last_words).into_owned(),
    }
}

impl Death {
    /// Returns why a file could not be read.
    fn reason(&self, n_bytes: usize) -> String {
        let Self { status, code, last_words } = self;
        if *code == Some(i32::from(LATE)) {
            late(n_bytes)
        } else if last_words.contains("memory allocation of") {
            let most = most_memory(n_bytes as u64) >> 20;
            format!("is PDF that needs more memory to read than its size allows ({most} MiB)")
        } else if last_words.contains("overflowed its stack") {
            "is PDF that nests too deep to be read".to_owned()
        } else {
            format!("is PDF that ended the process reading it ({status})")
        }
    }
}

fn late(n_bytes: usize) -> String {
    let most = most_time(n_bytes as u64).as_secs_f64();
    format!("is PDF that takes longer to read than its size allows ({most:.1} s)")
}

/// Returns the memory that reading a file may take, in bytes, the file included.
///
/// A bad file may cost 64 MiB and eight times its size; the run, which holds the file and later the
/// text, takes its part of that.
pub(super) fn most_memory(n_bytes: u64) -> u64 {
    (56 << 20) + n_bytes.saturating_mul(6)
}
