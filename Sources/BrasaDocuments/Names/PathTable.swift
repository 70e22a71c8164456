/// Values by the paths of documents, in the order in which they came. Most requests are about a few documents: these are found
/// by going through them, which takes less than hashing one path does; more are found by a dictionary.
package struct PathTable<Value: Sendable>: Sendable {
    package struct Entry: Sendable {
        package let path: ResourcePath
        package var value: Value

        @inlinable
        init(path: ResourcePath, value: Value) {
            self.path = path
            self.value = value
        }
    }

    @usableFromInline var all: [Entry] = []
    /// Where the entries are, once they are more than are gone through.
    @usableFromInline var places: [ResourcePath: Int] = [:]

    @inlinable package init() {}

    @usableFromInline static var unsortedMax: Int { 12 }

    @inlinable package var entries: [Entry] { self.all }

    @inlinable
    package func place(of path: ResourcePath) -> Int? {
        guard self.places.isEmpty else { return self.places[path] }
        return self.all.firstIndex { $0.path == path }
    }

    /// For a path that has none.
    @inlinable
    package mutating func append(_ value: Value, for path: ResourcePath) {
        if !self.places.isEmpty { self.places[path] = self.all.count }
        self.all.append(Entry(path: path, value: value))
        guard self.places.isEmpty, self.all.count > Self.unsortedMax else { return }
        for (place, entry) in self.all.enumerated() { self.places[entry.path] = place }
    }

    /// By the place of an entry.
    @inlinable
    package subscript(place: Int) -> Value {
        get { self.all[place].value }
        _modify { yield &self.all[place].value }
    }

    /// Nil when there is none for the path.
    @inlinable
    package subscript(path: ResourcePath) -> Value? {
        self.place(of: path).map { self.all[$0].value }
    }
}
