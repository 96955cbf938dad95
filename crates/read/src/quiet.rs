//! Calling libraries that answer bad input with a panic.
//!
//! A caught panic would still be printed by the panic hook. While [`quietly`] runs, panics of its
//! own thread are not printed; those of other threads are, as before.

use std::cell::Cell;
use std::panic;
use std::sync::Once;

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `call` without printing its panics.
///
/// It does not catch them; `call` does.
pub(crate) fn quietly<T>(call: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                before(info);
            }
        }));
    });
    let before = IS_QUIET.replace(true);
    let result = call();
    IS_QUIET.set(before);
    result
}
