//! Work that is given up when it takes longer than a question may.

use retold::Stop;

use crate::app::{App, Shared};
use crate::keys::Caller;
use crate::problem::{Code, Problem};

/// Stops the work when nobody waits for it any more.
struct StopsIt(Stop);

impl Drop for StopsIt {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Does a piece of work within the time of a question (`query_ms`); it looks at the wish to stop.
pub(super) async fn in_time<T: Send + 'static>(
    app: &Shared,
    caller: &Caller,
    work: impl FnOnce(&App, &Stop) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let stop = Stop::new();
    let _stops = StopsIt(stop.clone());
    let working = app.work(caller, move |app| work(app, &stop));
    if let Ok(done) = tokio::time::timeout(app.query_time(), working).await {
        return done;
    }
    let most = app.limits().query_ms;
    let detail = format!("it takes longer than {most} milliseconds; begin a job instead");
    Err(Problem::new(Code::NotAccepted, detail).limit("query_ms", most))
}
