/// What one decision may still cost. A unit is one to three nanoseconds of one core, so that a budget of units is a
/// bound of time whatever is evaluated. This is the one door to values: what is in a text, a list, a map or a path is handed out
/// only to those who pay for it here, entry by entry and byte by byte.
package struct Work {
    package private(set) var left: Int

    package init(_ units: Int) {
        self.left = units
    }

    /// An expression, whatever it is, with the error that it may end in.
    package static let expression = 100
    /// An element or entry that is taken out of where it is, or put somewhere.
    package static let element = 40
    /// An entry that is stepped over.
    package static let step = 16

    /// A document that is asked for.
    package static let access = 1_000

    /// How long bytes take, as units for eight of them.
    package enum Pace: Int {
        /// Compared or copied as they are.
        case block = 2
        /// Looked at one by one.
        case each = 16
        /// Read with their escapes, or written as text.
        case coded = 64
        /// Hashed by a slow algorithm.
        case digested = 160
    }

    package mutating func spend(_ units: Int) throws(EvaluationError) {
        let (left, overflow) = self.left.subtractingReportingOverflow(units)
        guard !overflow, left >= 0 else {
            self.left = 0
            throw .workExceeded
        }
        self.left = left
    }

    package mutating func spend(bytes count: Int, _ pace: Pace) throws(EvaluationError) {
        let (units, overflow) = count.multipliedReportingOverflow(by: pace.rawValue)
        try self.spend(overflow ? .max : 1 + units / 8)
    }

    package mutating func spend(elements count: Int) throws(EvaluationError) {
        let (units, overflow) = count.multipliedReportingOverflow(by: Self.element)
        try self.spend(overflow ? .max : units)
    }

    /// How many entries may be stepped over, and one more: who gets that far has spent too much.
    var steps: Int { self.left / Self.step + 1 }
}
