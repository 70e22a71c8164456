import BrasaBytes

/// How often each expression of a rules file came to which value. Of decisions that were explained.
package struct RuleCoverage: Sendable {
    /// Different ones of one expression.
    static let valuesMax = 100
    /// Of all values as they are shown.
    static let bytesMax = 16 << 20

    private struct Count {
        /// As it is shown.
        var value: [UInt8]
        var count: Int
    }

    private let program: Program
    private var counts: [NodeID: [Count]] = [:]
    private var byteCount = 0

    package init(of rules: Ruleset) {
        self.program = rules.program
    }

    package mutating func add(_ explanation: Explanation) {
        for statement in explanation.statements {
            for evaluation in statement.evaluations { self.add(evaluation) }
        }
    }

    private mutating func add(_ evaluation: Explanation.Evaluation) {
        let value = CoverageValue.json(evaluation)
        let known = self.counts[evaluation.node]?.firstIndex { $0.value == value }
        if let known {
            self.counts[evaluation.node]?[known].count += 1
            return
        }
        guard self.counts[evaluation.node, default: []].count < Self.valuesMax,
            self.byteCount + value.count <= Self.bytesMax
        else { return }
        self.counts[evaluation.node, default: []].append(Count(value: value, count: 1))
        self.byteCount += value.count
    }

    // MARK: What is told

    /// The emulator's report: a tree for each condition, and for what functions are made of.
    package var json: [UInt8] {
        var text: [UInt8] = []
        self.write(self.program.roots, to: &text)
        return text
    }

    private func write(_ nodes: [NodeID], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        for (index, node) in nodes.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            self.write(node, to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// Recurses as deep as expressions nest, which the parser bounds.
    private func write(_ node: NodeID, to text: inout [UInt8]) {
        var position = JSONWriter()
        position.write(self.program.position(of: node))
        text += Array("{\"sourcePosition\":".utf8) + position.bytes
        if let counts = self.counts[node] {
            let values = counts.map { Array("{\"value\":".utf8) + $0.value + Array(",\"count\":\($0.count)}".utf8) }
            text += Array(",\"values\":[".utf8) + values.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        }
        let children = self.program.nodes[node].children
        if !children.isEmpty {
            text += Array(",\"children\":".utf8)
            self.write(children, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    /// An expression that decisions have not tried, or a condition that was never true or never anything else.
    package struct Gap: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case neverEvaluated, neverTrue, alwaysTrue
        }

        package let kind: Kind
        package let range: SourceRange
        package let position: SourcePosition
    }

    /// In the order of the file; of expressions within each other the outermost.
    package var gaps: [Gap] {
        var gaps: [Gap] = []
        for root in self.program.roots { self.collect(root, &gaps) }
        let yes = CoverageValue.yes
        for condition in self.program.conditions {
            guard let counts = self.counts[condition] else { continue }
            if !counts.contains(where: { $0.value == yes }) { gaps.append(self.gap(.neverTrue, condition)) }
            if counts.allSatisfy({ $0.value == yes }) { gaps.append(self.gap(.alwaysTrue, condition)) }
        }
        return gaps.sorted { $0.position.startOffset < $1.position.startOffset }
    }

    private func collect(_ node: NodeID, _ gaps: inout [Gap]) {
        guard self.counts[node] != nil else { return gaps.append(self.gap(.neverEvaluated, node)) }
        for child in self.program.nodes[node].children { self.collect(child, &gaps) }
    }

    private func gap(_ kind: Gap.Kind, _ node: NodeID) -> Gap {
        Gap(kind: kind, range: self.program.ranges[node], position: self.program.position(of: node))
    }

    /// Expressions that were evaluated, and all that there are.
    package var extent: (covered: Int, all: Int) {
        var (covered, all) = (0, 0)
        var open = self.program.roots
        while let node = open.popLast() {
            all += 1
            if self.counts[node] != nil { covered += 1 }
            open += self.program.nodes[node].children
        }
        return (covered, all)
    }
}

extension Program {
    /// Each once, in the order of the file.
    fileprivate var conditions: [NodeID] {
        Set(self.blocks.flatMap(\.statements).compactMap(\.condition)).sorted(by: self.isBefore)
    }

    /// Expressions that are within no other.
    fileprivate var roots: [NodeID] {
        let functions = self.functions.flatMap { $0.lets + [$0.result] }
        return (self.conditions + functions).sorted(by: self.isBefore)
    }

    private func isBefore(_ one: NodeID, _ other: NodeID) -> Bool {
        (self.ranges[one].start, one) < (self.ranges[other].start, other)
    }

    fileprivate func position(of node: NodeID) -> SourcePosition { self.source.position(of: self.ranges[node]) }
}

extension Node {
    fileprivate var children: [NodeID] {
        switch self {
        case .constant, .unknownName, .unknownFunction, .wrongCount, .request, .resource, .requestMember, .storedField,
            .futureField, .local, .capture:
            []
        case .member(let value, _), .not(let value), .negate(let value), .isType(let value, _), .access(_, let value):
            [value]
        case .index(let left, let right), .and(let left, let right), .or(let left, let right),
            .binary(_, let left, let right):
            [left, right]
        case .slice(let value, let from, let to): [value, from, to].compactMap { $0 }
        case .conditional(let condition, let yes, let no): [condition, yes, no]
        case .list(let nodes), .map(let nodes), .call(_, let nodes), .function(_, let nodes): nodes
        case .path(let parts):
            parts.compactMap { part in if case .expression(let node) = part { node } else { nil } }
        case .method(_, let receiver, let arguments, _): [receiver] + arguments
        }
    }
}
