//! The reason why something could not be measured.

/// The reason why something could not be measured.
pub type BenchError = Box<dyn std::error::Error + Send + Sync>;
