package import BrasaDocuments

/// Who calls, where and when: what is the same for all that one call asks for.
package struct RuleCaller: Sendable {
    package var database: UTF8Text
    /// Nil for nobody.
    package var auth: RuleAuth?
    /// `request.time`, which is also what a commit's server timestamps become.
    package var time: Timestamp

    package init(database: UTF8Text, auth: RuleAuth?, time: Timestamp) {
        self.database = database
        self.auth = auth
        self.time = time
    }
}
