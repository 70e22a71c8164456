package import BrasaDocuments
package import BrasaQueries

/// What a listener wants to be told of.
package struct ListenTarget: Sendable {
    /// As sent: 0 lets the server choose, and negative ones are refused by whoever counts targets.
    package var id: Int32
    /// A target that cannot be read fails alone, its stream goes on.
    package var subject: Result<Subject, Status>
    package var resume: ResumePoint?
    /// Whether the target ends with its first snapshot.
    package var once: Bool
    /// How many documents a resuming client holds; nil asks for no filter.
    package var expectedCount: Int32?

    package enum Subject: Sendable {
        /// Nil where there is no structured query.
        case query(ParentName, StructuredQuery?)
        case documents([DocumentName])
        /// Neither, or something later than these.
        case unknown
    }

    /// Where a resuming listener left off.
    package enum ResumePoint: Hashable, Sendable {
        case token([UInt8])
        case readTime(ReadTime)
    }

    package init(
        id: Int32,
        _ subject: Subject,
        resume: ResumePoint? = nil,
        once: Bool = false,
        expectedCount: Int32? = nil
    ) {
        self.id = id
        self.subject = .success(subject)
        self.resume = resume
        self.once = once
        self.expectedCount = expectedCount
    }
}
