internal import BrasaDocuments

extension RulePath {
    /// The document that the path names in this database; nil when it names none, or one of another database.
    func document(in database: UTF8Text) -> ResourcePath? {
        guard self.segments.count >= 5, self.segments.count % 2 == 1,
            self.segments[0] == .simple("databases"), self.segments[1] == .simple(database),
            self.segments[2] == .simple("documents")
        else { return nil }
        var bytes: [UInt8] = []
        for segment in self.segments[3...] {
            guard case .simple(let text) = segment, !text.bytes.contains(UInt8(ascii: "/")) else { return nil }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "/")) }
            bytes.append(contentsOf: text.bytes)
        }
        return (try? ResourcePath(parsing: bytes)).flatMap { $0.isDocument ? $0 : nil }
    }

    /// The path with values in the places of variables.
    func bound(_ values: RuleMap) throws(EvaluationError) -> RulePath {
        var bound = RulePath([])
        bound.bindings = self.bindings
        var used: Set<String> = []
        for segment in self.segments {
            guard bound.segments.count < Self.segmentsMax else { throw .workExceeded }
            let start = bound.segments.count
            switch segment {
            case .simple: bound.segments.append(segment)
            case .variable(let name):
                used.insert(name)
                guard let value = values.value(UTF8Text(name)) else {
                    bound.segments.append(segment)
                    continue
                }
                guard case .string(let text) = value else {
                    throw .type(received: value.type.rawValue, expected: TypeName.string.rawValue)
                }
                bound.segments.append(.simple(text))
                bound.bindings.append(Binding(name: name, segments: start..<(start + 1), isGlob: false))
            case .glob(let name):
                used.insert(name)
                guard let value = values.value(UTF8Text(name)) else {
                    bound.segments.append(segment)
                    continue
                }
                guard case .path(let path) = value else {
                    throw .type(received: value.type.rawValue, expected: TypeName.path.rawValue)
                }
                bound.segments.append(contentsOf: path.segments)
                bound.bindings.append(Binding(name: name, segments: start..<bound.segments.count, isGlob: true))
            }
        }
        let unknown = values.entries.map(\.key.string).filter { !used.contains($0) }
        guard unknown.isEmpty else { throw .unknownPathVariables(unknown) }
        return bound
    }

    /// The value that a variable of this name was given.
    func binding(_ name: String) -> RuleValue? {
        guard let binding = self.bindings.last(where: { $0.name == name }),
            binding.segments.upperBound <= self.segments.count
        else { return nil }
        if binding.isGlob { return .path(RulePath(Array(self.segments[binding.segments]))) }
        guard case .simple(let text) = self.segments[binding.segments.lowerBound] else { return nil }
        return .string(text)
    }
}
