/// A place between an index's keys.
struct IndexPosition: Hashable, Sendable {
    var prefix: [UInt8]
    /// Behind all keys that begin with the prefix, instead of before them.
    var isAfter: Bool

    static func before(_ prefix: [UInt8]) -> IndexPosition { IndexPosition(prefix: prefix, isAfter: false) }
    static func after(_ prefix: [UInt8]) -> IndexPosition { IndexPosition(prefix: prefix, isAfter: true) }

    static let start = IndexPosition.before([])
    static let end = IndexPosition.after([])
}
