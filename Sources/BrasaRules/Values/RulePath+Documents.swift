internal import BrasaDocuments

extension RulePath {
    /// The document that the path names in this database; nil when it names none, or one of another database.
    func document(in database: UTF8Text, _ work: inout Work) throws(EvaluationError) -> ResourcePath? {
        guard self.segments.count >= 5, self.segments.count % 2 == 1,
            try self.isSimple(0, Self.databases, &work), try self.isSimple(1, RuleText(database), &work),
            try self.isSimple(2, Self.documents, &work)
        else { return nil }
        let slash = UInt8(ascii: "/")
        var count = 0
        for segment in self.segments[3...] {
            // Empty ones at the beginning would vanish, and the path be another's. No name is that long, so no more of one
            // needs to be looked at.
            guard case .simple(let text) = segment, text.bytes.count > 0,
                count + text.bytes.count <= Limits.nameBytesMax
            else { return nil }
            try work.spend(Work.element)
            try work.spend(bytes: text.bytes.count, .each)
            guard !text.bytes.withUnsafeBytes({ $0.contains(slash) }) else { return nil }
            count += (count == 0 ? 0 : 1) + text.bytes.count
        }
        try work.spend(bytes: count, .each)
        let bytes = ByteString(count: count) { memory in
            var end = 0
            for case .simple(let text) in self.segments[3...] {
                if end > 0 {
                    memory[end] = slash
                    end += 1
                }
                text.bytes.withUnsafeBytes { id in
                    UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: id)
                }
                end += text.bytes.count
            }
        }
        return (try? ResourcePath(parsing: bytes)).flatMap { $0.isDocument ? $0 : nil }
    }

    private func isSimple(_ index: Int, _ wanted: RuleText, _ work: inout Work) throws(EvaluationError) -> Bool {
        guard case .simple(let text) = self.segments[index] else { return false }
        return try RuleText.equal(text, wanted, &work)
    }

    /// The path with values in the places of variables.
    func bound(_ values: RuleMap, _ work: inout Work) throws(EvaluationError) -> RulePath {
        var bound = RulePath([])
        bound.bindings = self.bindings
        var names: [RuleValue] = []
        for segment in self.segments {
            try work.spend(Work.element)
            guard bound.segments.count < Self.segmentsMax else { throw .workExceeded }
            let start = bound.segments.count
            switch segment {
            case .simple: bound.segments.append(segment)
            case .variable(let name):
                names.append(.string(name))
                guard let value = try values.value(name, &work) else {
                    bound.segments.append(segment)
                    continue
                }
                guard case .string(let text) = value else {
                    throw .type(received: value.type.rawValue, expected: TypeName.string.rawValue)
                }
                bound.segments.append(.simple(text))
                bound.bindings.append(Binding(name: name, segments: start..<(start + 1), isGlob: false))
            case .glob(let name):
                names.append(.string(name))
                guard let value = try values.value(name, &work) else {
                    bound.segments.append(segment)
                    continue
                }
                guard case .path(let path) = value else {
                    throw .type(received: value.type.rawValue, expected: TypeName.path.rawValue)
                }
                try work.spend(elements: path.segments.count)
                bound.segments.append(contentsOf: path.segments)
                bound.bindings.append(Binding(name: name, segments: start..<bound.segments.count, isGlob: true))
            }
        }
        try Self.check(values, against: names, &work)
        return bound
    }

    /// A map may hold no name that the path does not have.
    private static func check(
        _ values: RuleMap,
        against names: [RuleValue],
        _ work: inout Work
    ) throws(EvaluationError) {
        var known = KeyTable(.elements)
        try known.insert(RuleList(names), &work)
        var unknown: [String] = []
        var cursor = values.cursor
        while unknown.count < 10, let entry = try cursor.next(&work) {
            if try known.index(of: .string(entry.key), &work) == nil { unknown.append(entry.key.excerpt) }
        }
        guard unknown.isEmpty else { throw .unknownPathVariables(unknown) }
    }

    /// The value that a variable of this name was given.
    func binding(_ name: RuleText, _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        for binding in self.bindings.reversed() {
            try work.spend(Work.step)
            guard try RuleText.equal(binding.name, name, &work) else { continue }
            guard binding.segments.upperBound <= self.segments.count else { return nil }
            if binding.isGlob {
                try work.spend(elements: binding.segments.count)
                return .path(RulePath(Array(self.segments[binding.segments])))
            }
            guard case .simple(let text) = self.segments[binding.segments.lowerBound] else { return nil }
            return .string(text)
        }
        return nil
    }
}
