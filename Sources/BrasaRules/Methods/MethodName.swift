/// The methods of values.
package enum MethodName: String, CaseIterable, Hashable, Sendable {
    case size, lower, upper, trim, matches, split, replace, toUtf8
    case toBase64, toHexString
    case concat, join, removeAll, toSet, hasAll, hasAny, hasOnly
    case difference, intersection, union
    case keys, values, get, diff
    case addedKeys, removedKeys, changedKeys, unchangedKeys, affectedKeys
    case bind
    case year, month, day, hours, minutes, seconds, nanos, dayOfWeek, dayOfYear, date, time, toMillis
    case latitude, longitude, distance

    /// What a method takes and gives on one type.
    struct Signature: Sendable {
        var receiver: TypeName
        var parameters: [TypeSet]
        var result: TypeSet
    }

    var signatures: [Signature] { Self.table[self] ?? [] }

    func signature(on receiver: TypeName) -> Signature? { self.signatures.first { $0.receiver == receiver } }

    /// Why this method gave nothing for these values.
    func failure(on receiver: RuleValue, _ arguments: [RuleValue]) -> EvaluationError {
        guard let signature = self.signature(on: receiver.type) else {
            return receiver.type == .null ? .nullValue : .functionNotFound(self.rawValue)
        }
        return .unsupported(.method(self, signature.receiver, arguments.map(\.type)))
    }

    private static let table: [MethodName: [Signature]] = {
        var table: [MethodName: [Signature]] = [:]
        func add(_ receiver: TypeName, _ names: [MethodName], _ parameters: [TypeSet], _ result: TypeSet) {
            for name in names {
                table[name, default: []].append(
                    Signature(receiver: receiver, parameters: parameters, result: result)
                )
            }
        }
        for receiver in [TypeName.string, .bytes, .list, .set, .map] { add(receiver, [.size], [], .int) }
        add(.string, [.lower, .upper, .trim], [], .string)
        add(.string, [.matches], [.string], .bool)
        add(.string, [.split], [.string], .list)
        add(.string, [.replace], [.string, .string], .string)
        add(.string, [.toUtf8], [], .bytes)
        add(.bytes, [.toBase64, .toHexString], [], .string)
        add(.list, [.concat, .removeAll], [.list], .list)
        add(.list, [.join], [.string], .string)
        add(.list, [.toSet], [], .set)
        add(.list, [.hasAll, .hasAny, .hasOnly], [[.list, .set]], .bool)
        add(.set, [.hasAll, .hasAny, .hasOnly], [[.list, .set]], .bool)
        add(.set, [.difference, .intersection, .union], [.set], .set)
        add(.map, [.keys, .values], [], .list)
        add(.map, [.get], [[.string, .list], .any], .any)
        add(.map, [.diff], [.map], .mapDiff)
        add(.mapDiff, [.addedKeys, .removedKeys, .changedKeys, .unchangedKeys, .affectedKeys], [], .set)
        add(.path, [.bind], [.map], .path)
        let parts: [MethodName] = [.year, .month, .day, .hours, .minutes, .seconds, .nanos, .dayOfWeek, .dayOfYear]
        add(.timestamp, parts + [.toMillis], [], .int)
        add(.timestamp, [.date], [], .timestamp)
        add(.timestamp, [.time], [], .duration)
        add(.duration, [.seconds, .nanos], [], .int)
        add(.latlng, [.latitude, .longitude], [], .float)
        add(.latlng, [.distance], [.latlng], .float)
        return table
    }()
}
