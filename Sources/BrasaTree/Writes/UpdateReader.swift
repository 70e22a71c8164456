/// Reads what a multi-path update writes: an object whose keys are paths, each with a value of its own.
package struct UpdateReader: JSONSink {
    package typealias Entry = (location: TreeLocation, template: TreeTemplate)

    private let base: TreePath
    private let pathsMax: Int
    /// Nil as long as nothing was read, and for `null`, which removes the node.
    package private(set) var entries: [Entry]?
    private var value: TreeReader
    private var location: TreeLocation?
    /// Objects and arrays that are open in the value of a path.
    private var depth = 0

    /// - Parameter pathsMax: one more is refused where it begins, before anything is kept of it.
    package init(at base: TreePath = .root, pathsMax: Int = TreeLimits.placementsMax) {
        self.base = base
        self.pathsMax = pathsMax
        self.value = TreeReader(at: base)
    }

    package var path: TreePath? { self.location == nil ? self.base : self.value.path }

    package mutating func null() throws(TreeError) {
        guard self.entries != nil else { return }
        try self.value.null()
        self.endValue()
    }

    package mutating func scalar(_ value: JSONScalar) throws(TreeError) {
        try self.checkIsObject()
        try self.value.scalar(value)
        self.endValue()
    }

    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        try self.checkIsObject()
        try self.value.string(text)
        self.endValue()
    }

    package mutating func key(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        guard self.depth == 0 else { return try self.value.key(text) }
        guard (self.entries?.count ?? 0) < self.pathsMax else {
            throw TreeError(.tooManyPaths(pathsMax: self.pathsMax), at: self.base)
        }
        guard !text.isEmpty else { throw TreeError(.invalidKey(""), at: self.base) }
        let relative: TreeLocation
        do throws(TreeError) {
            relative = try TreeLocation(TreeText(checked: text))
        } catch {
            throw TreeError(error.reason, at: error.path.map(self.base.appending) ?? self.base)
        }
        let path = self.base.appending(relative.path)
        guard path.keys.count <= TreeLimits.levelsMax else {
            throw TreeError(.tooDeep(levels: path.keys.count), at: path)
        }
        self.location = relative
        self.value.restart(at: path)
    }

    package mutating func beginObject() throws(TreeError) {
        guard self.entries != nil else {
            self.entries = []
            return
        }
        self.depth += 1
        try self.value.beginObject()
    }

    package mutating func beginArray() throws(TreeError) {
        try self.checkIsObject()
        self.depth += 1
        try self.value.beginArray()
    }

    package mutating func endObject() throws(TreeError) {
        guard self.depth > 0 else { return }
        self.depth -= 1
        try self.value.endObject()
        self.endValue()
    }

    package mutating func endArray() throws(TreeError) {
        self.depth -= 1
        try self.value.endArray()
        self.endValue()
    }

    private func checkIsObject() throws(TreeError) {
        guard self.entries != nil else { throw TreeError(.updateNotObject, at: self.base) }
    }

    private mutating func endValue() {
        guard self.depth == 0, let location = self.location, let template = self.value.template else { return }
        self.location = nil
        self.entries?.append((location, template))
    }
}
