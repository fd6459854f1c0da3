//! Tests that need PostgreSQL: without it they are ignored, with the reason.

/// A test by its name.
macro_rules! trials {
    ($($room:ident::$fact:ident),* $(,)?) => {
        vec![$(libtest_mimic::Trial::ignorable_test(
            concat!(stringify!($room), "::", stringify!($fact)),
            || match postgres_server::absent() {
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
