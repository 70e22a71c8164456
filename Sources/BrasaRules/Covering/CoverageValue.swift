import BrasaBytes
internal import BrasaDocuments
internal import BrasaQueries

/// Values as the emulator's reports on coverage show them, cut off where they grow long.
struct CoverageValue {
    private static let depthMax = 20
    private static let lengthMax = 200

    /// How many values are shown yet, of all that are within each other.
    private var left = 100
    private var work = Work(100_000)

    static let yes: [UInt8] = {
        var writer = JSONWriter()
        var value = CoverageValue()
        value.write(.bool(true), 0, to: &writer)
        return writer.bytes
    }()

    static func json(_ evaluation: Explanation.Evaluation) -> [UInt8] {
        var writer = JSONWriter()
        var shown = CoverageValue()
        if let value = evaluation.value {
            shown.write(value, 0, to: &writer)
        } else {
            Self.write(evaluation.error, at: evaluation.position, to: &writer)
        }
        return writer.bytes
    }

    private static func write(_ error: EvaluationError?, at position: SourcePosition, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("undefined") { writer in
                writer.object { writer in
                    guard let error, error != .undetermined else { return }
                    writer.member("causeMessage", error.message)
                    writer.member("sourcePosition") { $0.write(position) }
                }
            }
        }
    }

    /// Recurses as deep as is shown.
    private mutating func write(_ value: RuleValue, _ depth: Int, to writer: inout JSONWriter) {
        self.left -= 1
        writer.object { writer in
            switch value {
            case .null: writer.member("nullValue") { $0.null() }
            case .bool(let bool): writer.member("boolValue") { $0.boolean(bool) }
            case .int(let int): writer.member("intValue", String(int))
            case .float(let float): writer.member("floatValue") { $0.number(float) }
            case .string(let text): writer.member("stringValue", text.excerpt)
            case .bytes(let bytes):
                let text = Base64.encode(bytes.prefix(Self.lengthMax), .standard, isPadded: true)
                writer.member("bytesValue") { $0.string(text) }
            case .timestamp(let time):
                let micros = Int64(truncatingIfNeeded: time.total / 1_000)
                writer.member("timestampValue", Timestamp(microseconds: micros).rfc3339(.asNeeded))
            case .duration(let duration): writer.member("durationValue", Self.text(duration))
            case .latlng(let latitude, let longitude):
                writer.member("latlngValue") { writer in
                    writer.object { writer in
                        writer.member("latitude") { $0.number(latitude) }
                        writer.member("longitude") { $0.number(longitude) }
                    }
                }
            case .path(let path): writer.member("pathValue") { Self.write(path, to: &$0) }
            case .list(let list): writer.member("listValue") { self.write(list, depth, to: &$0) }
            case .set(let set): writer.member("setValue") { self.write(set.list, depth, to: &$0) }
            case .vector(let components): writer.member("vectorValue") { self.write(components, depth, to: &$0) }
            case .map(let map): writer.member("mapValue") { self.write(map, depth, to: &$0) }
            case .mapDiff(let diff): writer.member("mapDiffValue") { self.write(diff, to: &$0) }
            case .constraint(let constraint):
                writer.member("constraintValue") { self.write(constraint, depth, to: &$0) }
            }
        }
    }

    /// As protocol buffers write it.
    private static func text(_ duration: RuleDuration) -> String {
        let nanos = String(duration.nanos.magnitude)
        let sign = duration.total < 0 ? "-" : ""
        let fraction = nanos == "0" ? "" : "." + String(repeating: "0", count: 9 - nanos.count) + nanos
        return "\(sign)\(duration.seconds.magnitude)\(fraction)s"
    }

    private static func write(_ path: RulePath, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("segments") { writer in
                writer.array(path.segments.prefix(Self.lengthMax)) { segment, writer in
                    writer.object { writer in
                        switch segment {
                        case .simple(let text): writer.member("simple", text.excerpt)
                        case .variable(let name): writer.member("capture", name.excerpt)
                        case .glob(let name): writer.member("globCapture", name.excerpt)
                        }
                    }
                }
            }
        }
    }

    private mutating func write(_ list: RuleList, _ depth: Int, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("values") { writer in
                var shown: [RuleValue] = []
                var cursor = list.cursor
                while shown.count < self.left, depth < Self.depthMax,
                    let element = (try? cursor.next(&self.work)) ?? nil
                {
                    shown.append(element)
                }
                writer.array(shown) { if self.left > 0 { self.write($0, depth + 1, to: &$1) } }
            }
        }
    }

    private mutating func write(_ map: RuleMap, _ depth: Int, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("fields") { writer in
                writer.object { writer in
                    var cursor = map.cursor
                    while self.left > 0, depth < Self.depthMax, let entry = (try? cursor.next(&self.work)) ?? nil {
                        writer.member(entry.key.excerpt) { self.write(entry.value, depth + 1, to: &$0) }
                    }
                }
            }
        }
    }

    private mutating func write(_ diff: RuleMapDiff, to writer: inout JSONWriter) {
        let kinds: [(RuleMapDiff.Keys, String)] = [
            (.added, "ADDED"), (.removed, "REMOVED"), (.changed, "AFFECTED"), (.unchanged, "UNCHANGED"),
        ]
        writer.object { writer in
            writer.member("keyStatuses") { writer in
                writer.object { writer in
                    for (kind, name) in kinds {
                        guard let keys = try? diff.keys(kind, &self.work) else { continue }
                        var cursor = keys.list.cursor
                        while self.left > 0, case .string(let key)? = (try? cursor.next(&self.work)) ?? nil {
                            self.left -= 1
                            writer.member(key.excerpt, name)
                        }
                    }
                }
            }
        }
    }

    private mutating func write(_ constraint: RuleConstraint, _ depth: Int, to writer: inout JSONWriter) {
        let parts = constraint.conditions.flatMap(\.comparisons).prefix(max(self.left, 0))
        writer.object { writer in
            writer.member("simpleConstraints") { writer in
                writer.array(parts) { part, writer in
                    writer.object { writer in
                        writer.member("comparator", part.comparator)
                        writer.member("value") { self.write(RuleValue(part.value), depth + 1, to: &$0) }
                    }
                }
            }
        }
    }
}

extension Term.Condition {
    fileprivate var comparisons: [(comparator: String, value: Value)] {
        switch self {
        case .equal(let value): [("EQ", value)]
        case .notEqual(let value): [("NEQ", value)]
        case .arrayContains(let value): [("LIST_CONTAINS", value)]
        case .notIn(let values): values.map { ("NEQ", $0) }
        case .isNotNull: [("NEQ", .null)]
        case .isNotNaN: [("NEQ", .double(.nan))]
        case .range(let range):
            [
                range.lower.map { ($0.isInclusive ? "GTE" : "GT", $0.value) },
                range.upper.map { ($0.isInclusive ? "LTE" : "LT", $0.value) },
            ].compactMap { $0 }
        }
    }
}

extension JSONWriter {
    mutating func write(_ position: SourcePosition) {
        self.object { writer in
            writer.member("line") { $0.number(position.line) }
            writer.member("column") { $0.number(position.column) }
            writer.member("currentOffset") { $0.number(position.startOffset) }
            writer.member("endOffset") { $0.number(position.endOffset) }
        }
    }
}
