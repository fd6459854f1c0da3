//! Tests that need PostgreSQL: without it they are ignored, with the reason.

/// Creates a trial with the name of its function. It is ignored if `absent` returns a reason, by
/// default that PostgreSQL is absent.
macro_rules! trials {
    ($($room:ident::$fact:ident),* $(,)?) => {
        trials!(postgres_server::absent; $($room::$fact),*)
    };
    ($absent:path; $($room:ident::$fact:ident),* $(,)?) => {
        vec![$(libtest_mimic::Trial::ignorable_test(
            concat!(stringify!($room), "::", stringify!($fact)),
            || match $absent() {
                Some(absent) => Ok(libtest_mimic::Completion::ignored_with(absent)),
                None => {
                    let runtime = tokio::runtime::Builder::new_multi_thread()
                        .worker_threads(2)
                        .enable_all()
                        .build()
                        .unwrap();
                    runtime.block_on($room::$fact());
                    Ok(libtest_mimic::Completion::Completed)
                }
            },
        )),*]
    };
}
