/// What is kept for paths of documents, each once, in the order in which they came. Most requests are about a few documents:
/// these are found by going through them, which takes less than hashing one path does; more are found by a dictionary.
///
/// Usable from inline, so that it is specialised where it is used, in other modules.
@usableFromInline
package struct PathTable<Value: Sendable>: Sendable {
    @usableFromInline
    package struct Entry: Sendable {
        @usableFromInline package let path: ResourcePath
        @usableFromInline package var value: Value

        @inlinable
        init(_ path: ResourcePath, _ value: Value) {
            (self.path, self.value) = (path, value)
        }
    }

    @usableFromInline package var entries: [Entry] = []
    /// Where the paths are, once they are more than are gone through.
    @usableFromInline var places: [ResourcePath: Int] = [:]

    @inlinable package static var unsortedMax: Int { 12 }

    @inlinable
    package init() {}

    /// Nil when it is not among them.
    @inlinable
    package func place(of path: ResourcePath) -> Int? {
        if !self.places.isEmpty { return self.places[path] }
        for place in self.entries.indices where self.entries[place].path == path { return place }
        return nil
    }

    /// For a path that is not among them. Gives its place, which is behind the others.
    @inlinable
    @discardableResult
    package mutating func append(_ path: ResourcePath, _ value: Value) -> Int {
        let place = self.entries.count
        if place == 0 { self.entries.reserveCapacity(4) }
        self.entries.append(Entry(path, value))
        if place >= Self.unsortedMax { self.index(from: self.places.isEmpty ? 0 : place) }
        return place
    }

    @usableFromInline
    mutating func index(from first: Int) {
        for place in first..<self.entries.count { self.places[self.entries[place].path] = place }
    }
}
