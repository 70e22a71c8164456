/// What a write addresses: a node, or the priority of one (`a/b/.priority`).
package struct TreeLocation: Hashable, Sendable {
    package var path: TreePath
    package var isPriority: Bool

    static let priorityName: TreeText = ".priority"

    package init(_ path: TreePath, isPriority: Bool = false) {
        self.path = path
        self.isPriority = isPriority
    }

    package init(_ text: String) throws(TreeError) {
        try self.init(TreeText(text))
    }

    package init(_ text: TreeText) throws(TreeError) {
        self.init(.root)
        // One segment after the other, so that a text of nothing but segments ends at the first that is too deep.
        var rest = text.utf8[...]
        while let start = rest.firstIndex(where: { $0 != UInt8(ascii: "/") }) {
            let end = rest[start...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            try self.append(rest[start..<end])
            rest = rest[end...]
        }
    }

    private mutating func append(_ segment: ArraySlice<UInt8>) throws(TreeError) {
        guard !self.isPriority else { throw TreeError(.invalidKey(Self.priorityName), at: self.path) }
        guard !segment.elementsEqual(Self.priorityName.utf8) else {
            self.isPriority = true
            return
        }
        guard segment.count <= TreeLimits.keyBytesMax else {
            throw TreeError(.keyTooLong(bytes: segment.count), at: self.path)
        }
        do throws(TreeError) {
            self.path.keys.append(try TreeKey(TreeText(checked: Array(segment))))
        } catch {
            throw TreeError(error.reason, at: self.path)
        }
        guard self.path.keys.count <= TreeLimits.levelsMax else {
            throw TreeError(.tooDeep(levels: self.path.keys.count), at: self.path)
        }
    }

    /// As path of texts, of which a priority is the last: what the order of update paths and of hash ranges sees.
    var segments: [TreeText] { self.path.keys.map(\.text) + (self.isPriority ? [Self.priorityName] : []) }
}

extension TreeLocation: CustomStringConvertible {
    package var description: String {
        guard self.isPriority else { return self.path.description }
        return self.path.isRoot ? "/.priority" : "\(self.path)/.priority"
    }
}
