//! Detects out-of-memory errors in the output of programs.

/// Texts, in lower case, that programs print to standard error when memory runs out. They are
/// grouped by language.
const MESSAGES: [&str; 8] = [
    // Python and its threads.
    "memoryerror",
    "can't start new thread",
    // C++.
    "bad_alloc",
    // Rust.
    "memory allocation of",
    // Node, Go, Java code ("OutOfMemoryError: Java heap space"), and the JVM.
    "out of memory",
    "outofmemoryerror",
    // The C library, in any language.
    "cannot allocate memory",
    // GNU tools.
    "memory exhausted",
];

/// Returns whether a program's standard error contains an out-of-memory error.
pub fn reports_out_of_memory(stderr: &str) -> bool {
    let stderr = stderr.to_lowercase();
    MESSAGES.iter().any(|message| stderr.contains(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_memory_errors_are_distinguished_from_other_output() {
        for message in [
            "Traceback (most recent call last):\n  File \"bot.py\", line 3\nMemoryError",
            "terminate called after throwing an instance of 'std::bad_alloc'",
            "memory allocation of 4294967296 bytes failed",
            "FATAL ERROR: Reached heap limit - JavaScript heap out of memory",
            "fatal error: runtime: out of memory",
            "java.lang.OutOfMemoryError: Java heap space",
            "OSError: [Errno 12] Cannot allocate memory",
            "tail: memory exhausted",
        ] {
            assert!(reports_out_of_memory(message), "{message}");
        }
        for message in ["", "Traceback\n  out of ideas", "KeyError: 'memory'"] {
            assert!(!reports_out_of_memory(message), "{message}");
        }
    }
}
