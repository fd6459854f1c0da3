//! What programs say when they get no memory.

/// What a program without memory writes to its standard error, in lower case, by the language that
/// it is written in.
const SAID: [&str; 8] = [
    // Python, and of its threads.
    "memoryerror",
    "can't start new thread",
    // C++.
    "bad_alloc",
    // Rust.
    "memory allocation of",
    // Node, Go, Java's "OutOfMemoryError: Java heap space" and the JVM's own message.
    "out of memory",
    "outofmemoryerror",
    // What the system says, in any language.
    "cannot allocate memory",
    // GNU tools.
    "memory exhausted",
];

/// Whether the last words of a program say that it got no memory.
pub fn says_out_of_memory(last_words: &str) -> bool {
    let last_words = last_words.to_lowercase();
    SAID.iter().any(|said| last_words.contains(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_programs_without_memory_are_told_from_others() {
        for said in [
            "Traceback (most recent call last):\n  File \"bot.py\", line 3\nMemoryError",
            "terminate called after throwing an instance of 'std::bad_alloc'",
            "memory allocation of 4294967296 bytes failed",
            "FATAL ERROR: Reached heap limit - JavaScript heap out of memory",
            "fatal error: runtime: out of memory",
            "java.lang.OutOfMemoryError: Java heap space",
            "OSError: [Errno 12] Cannot allocate memory",
            "tail: memory exhausted",
        ] {
            assert!(says_out_of_memory(said), "{said}");
        }
        for said in ["", "Traceback\n  out of ideas", "KeyError: 'memory'"] {
            assert!(!says_out_of_memory(said), "{said}");
        }
    }
}
