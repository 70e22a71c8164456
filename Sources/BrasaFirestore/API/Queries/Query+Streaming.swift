extension Query {
    /// The server's results one by one, for more of them than should be held at once. They are asked for page by page while
    /// a loop goes on, all as they were when it began; cache and queued writes play no part in it.
    ///
    /// A loop ends by throwing when a page cannot be read in spite of some attempts, or when the server does not remember
    /// any more how things were at the beginning: after an hour, unless it is told otherwise. Of the results with
    /// `limit(toLast:)` the first is only known at the end, so they cannot be had in this way.
    public func stream() -> ResultSequence {
        ResultSequence(query: self)
    }

    /// A query's results one by one; every loop over them reads for itself.
    public struct ResultSequence: AsyncSequence, Sendable {
        public typealias Element = QueryDocumentSnapshot
        public typealias Failure = any Error

        let query: Query

        public func makeAsyncIterator() -> Iterator {
            Iterator(pages: ResultPages(query: self.query))
        }

        public struct Iterator: AsyncIteratorProtocol {
            private var pages: ResultPages
            /// Those of a page that have not been given yet, the next one last.
            private var left: [QueryDocumentSnapshot] = []

            init(pages: ResultPages) {
                self.pages = pages
            }

            public mutating func next() async throws -> QueryDocumentSnapshot? {
                try await self.next(isolation: #isolation)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> QueryDocumentSnapshot? {
                if self.left.isEmpty { self.left = try await self.pages.next(isolation: actor).reversed() }
                return self.left.popLast()
            }
        }
    }
}

@available(*, unavailable)
extension Query.ResultSequence.Iterator: Sendable {}
