import BrasaBytes
internal import BrasaDocuments

extension MethodName {
    /// Calls the method. `pattern` is the argument compiled, if it was a literal one.
    func call(
        on receiver: RuleValue,
        _ arguments: [RuleValue],
        pattern: RegularExpression?,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue {
        let result: RuleValue?
        switch receiver {
        case .string(let text): result = try self.call(on: text, arguments, pattern, &work)
        case .bytes(let bytes): result = try self.call(on: bytes, arguments, &work)
        case .list(let list): result = try self.call(on: list, arguments, &work)
        case .set(let set): result = try self.call(on: set, arguments, &work)
        case .map(let map): result = try self.call(on: map, arguments, &work)
        case .mapDiff(let diff): result = try self.call(on: diff, arguments, &work)
        case .path(let path): result = try self.call(on: path, arguments, &work)
        case .timestamp(let time): result = try self.call(on: time, arguments)
        case .duration(let duration): result = self.call(on: duration, arguments)
        case .latlng(let latitude, let longitude): result = self.call(on: (latitude, longitude), arguments)
        default: result = nil
        }
        guard let result else { throw self.failure(on: receiver, arguments) }
        return result
    }

    private func call(on bytes: [UInt8], _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError)
        -> RuleValue?
    {
        guard arguments.isEmpty else { return nil }
        try work.spend(1 + bytes.count / 4)
        return switch self {
        case .size: .int(Int64(bytes.count))
        case .toBase64: .string(UTF8Text(validating: Base64.encode(bytes, .url, isPadded: true)) ?? "")
        case .toHexString: .string(UTF8Text(validating: Hexadecimal.encode(bytes, .upper)) ?? "")
        default: nil
        }
    }

    private func call(on map: RuleMap, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError)
        -> RuleValue?
    {
        switch (self, arguments.first) {
        case (.get, let key?) where arguments.count == 2: return try map.value(at: key, default: arguments[1], &work)
        case (.diff, .map(let old)?) where arguments.count == 1: return .mapDiff(RuleMapDiff(old: old, new: map))
        case (.size, nil), (.keys, nil), (.values, nil): break
        default: return nil
        }
        try work.spend(map.decodingWork ?? 1)
        let entries = map.entries
        try work.spend(entries.count)
        switch self {
        case .size: return .int(Int64(entries.count))
        case .keys: return .list(entries.map { .string($0.key) })
        default: return .list(entries.map(\.value))
        }
    }

    private func call(on diff: RuleMapDiff, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError)
        -> RuleValue?
    {
        guard arguments.isEmpty else { return nil }
        let kinds: RuleMapDiff.Keys
        switch self {
        case .addedKeys: kinds = .added
        case .removedKeys: kinds = .removed
        case .changedKeys: kinds = .changed
        case .unchangedKeys: kinds = .unchanged
        case .affectedKeys: kinds = .affected
        default: return nil
        }
        try work.spend(on: .mapDiff(diff))
        return .set(diff.keys(kinds))
    }

    private func call(on path: RulePath, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError)
        -> RuleValue?
    {
        guard self == .bind, arguments.count == 1, case .map(let values) = arguments[0] else { return nil }
        try work.spend(on: arguments[0])
        try work.spend(path.segments.count)
        return .path(try path.bound(values))
    }
}

extension RuleMap {
    /// `get(key, default)`: the key may be a list of keys, one map deeper each.
    fileprivate func value(
        at key: RuleValue,
        default fallback: RuleValue,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue? {
        switch key {
        case .string(let name):
            try work.spend(self.lookupWork)
            return self.value(name) ?? fallback
        case .list(let names):
            var found = RuleValue.map(self)
            for name in names {
                guard case .string(let name) = name else { return nil }
                guard case .map(let map) = found else { return fallback }
                try work.spend(map.lookupWork)
                guard let next = map.value(name) else { return fallback }
                found = next
            }
            return found
        default: return nil
        }
    }
}
