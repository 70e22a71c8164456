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

    private func call(on bytes: RuleBytes, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError)
        -> RuleValue?
    {
        guard arguments.isEmpty else { return nil }
        switch self {
        case .size: return .int(Int64(bytes.count))
        case .toBase64:
            let bytes = try bytes.all(.coded, &work)
            return .string(RuleText(validated: Base64.encode(bytes, .url, isPadded: true)))
        case .toHexString:
            let bytes = try bytes.all(.coded, &work)
            return .string(RuleText(validated: Hexadecimal.encode(bytes, .upper)))
        default: return nil
        }
    }

    private func call(on map: RuleMap, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError)
        -> RuleValue?
    {
        switch (self, arguments.first) {
        case (.get, let key?) where arguments.count == 2: return try map.value(at: key, default: arguments[1], &work)
        case (.diff, .map(let old)?) where arguments.count == 1: return .mapDiff(RuleMapDiff(old: old, new: map))
        case (.size, nil): return .int(Int64(try map.count(&work)))
        case (.keys, nil), (.values, nil):
            var parts: [RuleValue] = []
            var cursor = map.cursor
            while let entry = try cursor.next(&work) {
                parts.append(self == .keys ? .string(entry.key) : entry.value)
            }
            return .list(RuleList(parts))
        default: return nil
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
        return .set(try diff.keys(kinds, &work))
    }

    private func call(on path: RulePath, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError)
        -> RuleValue?
    {
        guard self == .bind, arguments.count == 1, case .map(let values) = arguments[0] else { return nil }
        return .path(try path.bound(values, &work))
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
        case .string(let name): return try self.value(name, &work) ?? fallback
        case .list(let names):
            var found = RuleValue.map(self)
            var cursor = names.cursor
            while let name = try cursor.next(&work) {
                guard case .string(let name) = name else { return nil }
                guard case .map(let map) = found, let next = try map.value(name, &work) else { return fallback }
                found = next
            }
            return found
        default: return nil
        }
    }
}
