/// What an observer is told of.
public enum DataEventType: Int, Hashable, Sendable {
    case childAdded = 0
    case childRemoved = 1
    case childChanged = 2
    /// A child has another place in the query's order.
    case childMoved = 3
    /// All that the query shows, after each change.
    case value = 4
}

/// Names an observer, in all of the process.
public typealias DatabaseHandle = UInt
