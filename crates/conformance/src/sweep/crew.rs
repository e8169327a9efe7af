//! Those that fetch, on a thread of their own.

use std::{future::Future, thread};

use tokio::{
    runtime,
    sync::oneshot,
    task::{JoinError, JoinSet},
};

/// Runs tasks until all have ended, or one has and `is_over` says that the others may not go on.
///
/// # Errors
/// Where one of them failed unexpectedly.
pub(super) async fn all<W: Future<Output = Result<(), JoinError>> + Send + 'static>(
    workers: Vec<W>,
    is_over: impl Fn() -> bool,
) -> Result<(), String> {
    let mut running: JoinSet<_> = workers.into_iter().collect();
    while let Some(ended) = running.join_next().await {
        let ended = ended.and_then(|work| work);
        ended.map_err(|error| error.to_string())?;
        if is_over() {
            break;
        }
    }
    Ok(())
}

/// Does some work on a thread of its own, and ends it when nobody waits for it any more.
///
/// What hands a request over, waits for its answer and takes it does each in a few microseconds. On
/// one thread they need wake no other core, which would cost more than all that.
///
/// # Errors
/// The work's own, or why there is no such thread.
pub(super) async fn on_own_thread(
    work: impl Future<Output = Result<(), String>> + Send + 'static,
) -> Result<(), String> {
    let (_wanted, unwanted) = oneshot::channel::<()>();
    let (ended, end) = oneshot::channel();
    let run = move || -> Result<(), String> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string())?.block_on(async {
            tokio::select! {
                _ = unwanted => Ok(()),
                done = work => done,
            }
        })
    };
    let body = move || {
        // Nobody waits for it where it is not wanted.
        let _ = ended.send(run());
    };
    let thread = thread::Builder::new().name("fetching blocks".to_owned());
    let started = thread.spawn(body);
    started.map_err(|error| format!("the thread that fetches can't be started: {error}"))?;
    let lost = |_| Err("the thread that fetches ended unexpectedly".to_owned());
    end.await.unwrap_or_else(lost)
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    use super::*;

    #[tokio::test]
    async fn work_is_done_elsewhere_and_ends_when_nobody_waits() {
        let here = thread::current().id();
        let there = async move {
            let other = thread::current().id() != here;
            other
                .then_some(())
                .ok_or_else(|| "it is done here".to_owned())
        };
        assert_eq!(on_own_thread(there).await, Ok(()));
        let (dropped, is_dropped) = oneshot::channel::<()>();
        let endless = async move {
            let _kept = dropped;
            pending().await
        };
        let work = tokio::spawn(on_own_thread(endless));
        tokio::task::yield_now().await;
        work.abort();
        assert!(is_dropped.await.is_err());
    }

    #[tokio::test]
    async fn all_end_when_it_is_over_and_a_failure_is_told() {
        let over = Arc::new(AtomicBool::new(false));
        let worker = |ends: bool| {
            let over = Arc::clone(&over);
            async move {
                if !ends {
                    pending::<()>().await;
                }
                over.store(true, Ordering::Relaxed);
                Ok(())
            }
        };
        let is_over = || over.load(Ordering::Relaxed);
        assert_eq!(
            all(vec![worker(false), worker(true)], is_over).await,
            Ok(())
        );
        let failing = async { panic!("a fault of ours") };
        assert!(all(vec![failing], || false).await.is_err());
        let failing = on_own_thread(async { unreachable!("a fault of ours") });
        assert!(failing.await.is_err());
    }
}
