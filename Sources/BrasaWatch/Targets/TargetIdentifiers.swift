/// Gives a stream's targets their ids: all of the client's choice, or all of the stream's, 1, 2, 3 and so on.
struct TargetIdentifiers {
    private enum Mode {
        case undecided
        case chosen
        case assigned(last: Int32)
    }

    private var mode = Mode.undecided

    /// The id to use for one that was asked for, where 0 asks for any.
    mutating func next(_ id: Int32) throws(TargetIDError) -> Int32 {
        guard id >= 0 else { throw .negative(id) }
        switch (self.mode, id) {
        case (.undecided, 0):
            self.mode = .assigned(last: 1)
            return 1
        case (.assigned(let last), 0):
            // After two thousand million targets the stream has to end, and a new one begins at 1.
            guard last < .max else { throw .mixed }
            self.mode = .assigned(last: last + 1)
            return last + 1
        case (.chosen, 0), (.assigned, _): throw .mixed
        default:
            self.mode = .chosen
            return id
        }
    }
}
