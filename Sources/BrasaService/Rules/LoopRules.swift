import BrasaDocuments
import BrasaIdentity
import BrasaRules

/// The rules as one event loop knows them, and who judged the call before, which is mostly of the same user in the same database
/// as the next one.
///
/// Unchecked, because it is used on the loop only.
final class LoopRules: @unchecked Sendable {
    private let book: RuleBook
    private var edition: RuleBook.Edition
    private var last: (user: User?, database: DatabaseName, judge: CallJudge)?

    init(_ book: RuleBook) {
        self.book = book
        self.edition = book.edition
    }

    var editionNumber: Int { self.book.editionNumber }
    var isInUse: Bool { self.book.isInUse }

    /// Nil: no rules say what the caller may do in the database, so nothing.
    func judge(for caller: Caller, in database: DatabaseName) -> CallJudge? {
        if self.edition.number != self.book.editionNumber {
            self.edition = self.book.edition
            self.last = nil
        }
        let user: User? = if case .user(let user) = caller { user } else { nil }
        if let last = self.last, last.user === user, last.database == database { return last.judge }
        guard let rules = self.edition.rules(for: database) else { return nil }
        let judge = CallJudge(
            rules,
            edition: self.edition.number,
            database: database.database,
            auth: user.map { RuleAuth($0) }
        )
        self.last = (user, database, judge)
        return judge
    }

    /// Whether who shows no token is the database's owner.
    func isOpen(_ database: DatabaseName) -> Bool {
        self.book.edition.ruleset(for: database) == nil && self.book.opensOthers
    }
}

extension RuleAuth {
    init(_ user: User) {
        self.init(uid: UTF8Text(user.id), token: RuleMap(user.claims))
    }
}

extension RuleMap {
    fileprivate init(_ members: [ClaimName: Claim]) {
        self.init(members.map { (key: UTF8Text($0.string), value: RuleValue($1)) })
    }
}

extension RuleValue {
    /// Recurses as deep as the token nests, which is bounded where it is read.
    fileprivate init(_ claim: Claim) {
        switch claim {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .int(value)
        case .number(let value): self = .float(value)
        case .text(let text): self = .string(RuleText(UTF8Text(text)))
        case .list(let elements): self = .list(RuleList(elements.map { RuleValue($0) }))
        case .map(let members): self = .map(RuleMap(members))
        }
    }
}
