/// What rules may cost in one turn of an event loop, whoever asks them: those who listen again, those who have parted.
package enum JudgingTurn {
    /// Units of the rules' work: a few milliseconds.
    package static var workMax: Int { 3_000_000 }
    /// What looking at a listener costs besides.
    package static var listenerWork: Int { 1_000 }
}
