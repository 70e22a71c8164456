package import BrasaDocuments
package import BrasaQueries

/// A target as it is added to a stream.
package struct TargetRequest: Sendable {
    package enum Selection: Sendable {
        /// Existing or not.
        case documents([ResourcePath])
        case query(Query)
    }

    package enum Start: Sendable {
        case beginning
        /// A token of an earlier stream. One that is of no use means the beginning; so does an empty one.
        case token([UInt8])
        case time(Timestamp)
    }

    /// 0: the stream chooses one.
    package var id: Int32
    package var selection: Selection
    package var start: Start
    /// Ends when it is current.
    package var once: Bool
    /// How many documents the client has of it, as of the start.
    package var expectedCount: Int?
    /// About how many bytes it was asked for with.
    package var byteCount: Int

    /// What it takes to keep, about: names and the places where they are found; a query's values are larger in memory
    /// than on the wire.
    var selectionBytes: Int {
        switch self.selection {
        case .documents(let paths): paths.reduce(0) { $0 + 192 + $1.bytes.count }
        case .query: 512 + 4 * self.byteCount
        }
    }

    /// What a target takes besides.
    static let ownBytes = 512
    package var keptBytes: Int { Self.ownBytes + self.selectionBytes }

    package init(
        id: Int32,
        selection: Selection,
        start: Start = .beginning,
        once: Bool = false,
        expectedCount: Int? = nil,
        byteCount: Int = 0
    ) {
        self.id = id
        self.selection = selection
        self.start = start
        self.once = once
        self.expectedCount = expectedCount
        self.byteCount = byteCount
    }
}
