internal import BrasaDocuments

/// Rules in the form in which they are evaluated.
final class Program: Sendable {
    struct Function: Sendable {
        var name: String
        var parameters: [String]
        var lets: [NodeID]
        var result: NodeID
    }

    struct Statement: Sendable {
        var methods: MethodSet
        /// Nil: always.
        var condition: NodeID?
        var range: SourceRange
    }

    let source: SourceText
    let nodes: [Node]
    /// Where each node is written.
    let ranges: [SourceRange]
    let functions: [Function]
    let patterns: [RegularExpression]
    let blocks: [MatchBlock]
    let tree: MatchTree

    init(_ draft: ProgramDraft, source: SourceText, version: Int) {
        self.source = source
        self.nodes = draft.nodes
        self.ranges = draft.ranges
        self.functions = draft.functions.map {
            $0 ?? Function(name: "", parameters: [], lets: [], result: 0)
        }
        self.patterns = draft.patterns
        self.blocks = draft.blocks
        self.tree = MatchTree(draft.blocks, version: version)
    }
}

/// A program that is being put together.
struct ProgramDraft {
    private(set) var nodes: [Node] = []
    private(set) var ranges: [SourceRange] = []
    var functions: [Program.Function?] = []
    var patterns: [RegularExpression] = []
    var blocks: [MatchBlock] = []

    mutating func add(_ node: Node, at range: SourceRange) -> NodeID {
        self.nodes.append(node)
        self.ranges.append(range)
        return self.nodes.count - 1
    }

    /// The value of a node that is the same for every request.
    func constant(_ id: NodeID) -> (value: RuleValue, cost: Int)? {
        if case .constant(let value, let cost) = self.nodes[id] { (value, cost) } else { nil }
    }
}
