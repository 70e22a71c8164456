/// Paths of documents, each once, in the order in which they came: who keeps something for each keeps it by place. Most requests
/// are about a few documents: these are found by going through them, which takes less than hashing one path does; more are
/// found by a dictionary.
package struct PathPlaces: Sendable {
    private static let unsortedMax = 12

    package private(set) var paths: [ResourcePath] = []
    /// Where the paths are, once they are more than are gone through.
    private var places: [ResourcePath: Int] = [:]

    package init() {}

    /// - Parameter paths: each once.
    package init(_ paths: [ResourcePath]) {
        self.paths = paths
        if paths.count > Self.unsortedMax { self.index() }
    }

    /// Nil when it is not among them.
    package func place(of path: ResourcePath) -> Int? {
        self.places.isEmpty ? self.paths.firstIndex(of: path) : self.places[path]
    }

    /// For a path that is not among them. Its place is behind the others.
    package mutating func append(_ path: ResourcePath) {
        if !self.places.isEmpty { self.places[path] = self.paths.count }
        if self.paths.isEmpty { self.paths.reserveCapacity(4) }
        self.paths.append(path)
        if self.places.isEmpty, self.paths.count > Self.unsortedMax { self.index() }
    }

    private mutating func index() {
        for (place, path) in self.paths.enumerated() { self.places[path] = place }
    }
}
