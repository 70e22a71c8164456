/// A set of field paths, made once per request and applied to many documents. A path below another one adds nothing.
package struct FieldMask: Hashable, Sendable {
    /// Sorted by key. No children: the whole value.
    fileprivate struct Node: Hashable, Sendable {
        var key: UTF8Text
        var children: [Node]
    }

    fileprivate let nodes: [Node]

    /// No paths: no fields. `__name__` selects no field either.
    package init(_ paths: [FieldPath]) {
        // A path of more names than a document nests finds nothing, so it may be left out; this bounds the tree.
        let sorted = paths.filter { !$0.isDocumentName && $0.segments.count <= Limits.nestingMax + 1 }.sorted()
        self.nodes = Self.nodes(sorted[...], depth: 0)
    }

    /// With these paths as well.
    package func union(_ paths: [FieldPath]) -> FieldMask {
        FieldMask(nodes: Self.union(self.nodes, FieldMask(paths).nodes))
    }

    private init(nodes: [Node]) {
        self.nodes = nodes
    }

    private static func union(_ left: [Node], _ right: [Node]) -> [Node] {
        var nodes = left
        for node in right {
            if let index = nodes.firstIndex(where: { $0.key == node.key }) {
                // No children: the whole value, which holds every part of it.
                let isWhole = nodes[index].children.isEmpty || node.children.isEmpty
                nodes[index].children = isWhole ? [] : self.union(nodes[index].children, node.children)
            } else {
                nodes.append(node)
            }
        }
        return nodes.sorted { $0.key < $1.key }
    }

    /// `paths` are sorted and agree in their first `depth` names; all are longer than that.
    private static func nodes(_ paths: ArraySlice<FieldPath>, depth: Int) -> [Node] {
        var nodes: [Node] = []
        var rest = paths
        while let first = rest.first {
            let key = first.segments[depth]
            let end = rest.firstIndex { $0.segments[depth] != key } ?? rest.endIndex
            // Sorted, so the path that ends here comes first.
            let isWhole = first.segments.count == depth + 1
            nodes.append(Node(key: key, children: isWhole ? [] : self.nodes(rest[..<end], depth: depth + 1)))
            rest = rest[end...]
        }
        return nodes
    }
}

extension EncodedFields {
    /// The fields that the mask selects; a path into a map leaves only that part of the map. Copies encoded values,
    /// decodes none.
    package func projected(to mask: FieldMask) -> EncodedFields {
        guard !mask.nodes.isEmpty, !self.isEmpty else { return .empty }
        return self.bytes.withUnsafeBytes { bytes in
            var projection = Projection(memory: WireReader(bytes), writer: BackwardWriter(capacity: bytes.count))
            try? projection.entries(0..<bytes.count, of: mask.nodes, field: ValueField.documentFields)
            return EncodedFields(canonical: projection.writer.finishedString())
        }
    }

    package func projected(to mask: [FieldPath]) -> EncodedFields {
        self.projected(to: FieldMask(mask))
    }
}

private struct Projection {
    let memory: WireReader
    var writer: BackwardWriter

    /// Walks entries and nodes together, both being sorted, then writes what both have.
    mutating func entries(_ payload: Range<Int>, of nodes: [FieldMask.Node], field: UInt32) throws(DocumentError) {
        var ignored = true
        var selected: [(parts: EntryParts, node: Int)] = []
        var node = 0
        var reader = self.memory.sub(payload)
        while node < nodes.count, let range = try reader.nextElement(of: field, isCanonical: &ignored) {
            var entry = self.memory.sub(range)
            let parts = try entry.entryParts(isCanonical: &ignored)
            while node < nodes.count, self.order(nodes[node].key, parts.key) == .ascending { node += 1 }
            if node < nodes.count, self.order(nodes[node].key, parts.key) == .same {
                selected.append((parts, node))
                node += 1
            }
        }
        for (parts, node) in selected.reversed() {
            let mark = self.writer.count
            if nodes[node].children.isEmpty {
                self.writer.bytes(self.memory.slice(parts.value))
            } else if try !self.map(parts.value, of: nodes[node].children) {
                continue
            }
            self.writer.header(ValueField.value, since: mark)
            let keyMark = self.writer.count
            self.writer.bytes(self.memory.slice(parts.key))
            self.writer.header(ValueField.key, since: keyMark)
            self.writer.header(field, since: mark)
        }
    }

    /// Writes a Value with the selected part of a map; false when there is none.
    private mutating func map(_ value: Range<Int>, of nodes: [FieldMask.Node]) throws(DocumentError) -> Bool {
        var ignored = true
        var reader = self.memory.sub(value)
        guard let member = try reader.valueMember(isCanonical: &ignored), member.field == ValueField.map,
            !ReservedMap.isVector(member.payload, of: self.memory)
        else { return false }
        let mark = self.writer.count
        try self.entries(member.payload, of: nodes, field: ValueField.element)
        guard self.writer.count > mark else { return false }
        self.writer.header(ValueField.map, since: mark)
        return true
    }

    private func order(_ key: UTF8Text, _ range: Range<Int>) -> Ordering {
        key.bytes.withUnsafeBytes { ByteOrder.compare($0, self.memory.slice(range)) }
    }
}
