import BrasaRules
package import BrasaTree

/// The security rules of one database: who may read and write where, and which queries are indexed.
///
/// A pure value: a decision is a function of the rules, the tree before and after, and who asks.
package struct TreeRules: Sendable {
    /// As it was uploaded, comments included.
    package let text: [UInt8]
    let root: RuleNode

    /// What an emulator has before anybody uploaded rules.
    package static let open = TreeRules(
        text: Array(#"{"rules":{".read":true,".write":true}}"#.utf8),
        root: RuleNode(read: .literal(.boolean(true)), write: .literal(.boolean(true)))
    )
    /// Nobody but administrators gets in.
    package static let locked = TreeRules(
        text: Array(#"{"rules":{".read":false,".write":false}}"#.utf8),
        root: RuleNode()
    )

    /// Longer texts are refused.
    package static let textBytesMax = 256 * 1024

    package struct Refused: Error, Hashable, Sendable, CustomStringConvertible {
        /// By place in the text; never empty.
        package let diagnostics: [RulesDiagnostic]

        package var description: String { self.diagnostics.map(\.description).joined(separator: "\n") }
    }

    private init(text: [UInt8], root: RuleNode) {
        (self.text, self.root) = (text, root)
    }

    package init(parsing text: [UInt8]) throws(Refused) {
        guard text.count <= Self.textBytesMax else {
            throw Refused(RulesFault("Rules of more than \(Self.textBytesMax) bytes.", at: 0), in: [])
        }
        let source: RulesSource.Element
        do throws(RulesFault) {
            source = try RulesSourceReader.read(text)
        } catch {
            throw Refused(error, in: text)
        }
        var reader = RuleNodeReader()
        self.root = reader.root(source)
        self.text = text
        guard reader.faults.isEmpty else {
            throw Refused(
                diagnostics: reader.faults.sorted { $0.offset < $1.offset }.map { $0.diagnostic(in: text) }
            )
        }
    }

    /// Whether a query in this order finds an index at a place: by key and priority always.
    package func isIndexed(_ order: TreeQuery.Order, at path: TreePath) -> Bool {
        switch order {
        case .key, .priority: return true
        case .value, .child:
            var node = self.root
            for key in path.keys {
                guard let next = node.children[key] ?? node.wildcard else { return false }
                node = next
            }
            return node.indexes.contains(order)
        }
    }
}

extension TreeRules.Refused {
    fileprivate init(_ fault: RulesFault, in text: [UInt8]) {
        self.init(diagnostics: [fault.diagnostic(in: text)])
    }
}

/// What a decision may cost at most. At any of these bounds the operation is refused.
package struct TreeRuleLimits: Hashable, Sendable {
    /// Units of `Work`, of one to three nanoseconds each: so many are spent within a millisecond.
    package var work: Int
    /// What each node that a write brings adds, since each may have a rule of its own.
    package var workPerNode: Int
    /// Together.
    package var workMax: Int

    package init(work: Int = 300_000, workPerNode: Int = 2_000, workMax: Int = 100_000_000) {
        (self.work, self.workPerNode, self.workMax) = (work, workPerNode, workMax)
    }

    func work(forNodes count: Int) -> Int {
        let (added, overflow) = count.multipliedReportingOverflow(by: self.workPerNode)
        let (sum, carried) = self.work.addingReportingOverflow(added)
        return overflow || carried ? self.workMax : min(sum, self.workMax)
    }
}

/// What came of asking the rules.
package struct TreeRuleDecision: Hashable, Sendable {
    package let isAllowed: Bool
    /// Units of `Work` that it took.
    package let work: Int
}
