import BrasaDocuments
import BrasaQueries
import Testing

struct AggregationTests {
    private typealias Asked = StructuredAggregationQuery.Aggregation

    private func checked(_ aggregations: [StructuredAggregationQuery.Aggregation]) throws -> AggregationQuery {
        try AggregationQuery(
            StructuredAggregationQuery(query: structured(), aggregations: aggregations),
            parent: parent()
        )
    }

    private func results(
        _ aggregations: [StructuredAggregationQuery.Aggregation],
        of documents: [[String: Value]]
    ) throws -> [String: Value] {
        var accumulator = AggregateAccumulator(try self.checked(aggregations))
        for document in documents { accumulator.add(fields(document)) }
        return self.values(of: accumulator)
    }

    private func values(of accumulator: AggregateAccumulator) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: accumulator.aggregations.map { ($0.alias.string, accumulator.value(of: $0)) })
    }

    private func sumAndAverage(_ values: [Value]) throws -> (sum: Value?, average: Value?) {
        let results = try self.results(
            [.init(.sum(try field("a")), alias: "s"), .init(.average(try field("a")), alias: "v")],
            of: values.map { ["a": $0] }
        )
        return (results["s"], results["v"])
    }

    @Test func `What an aggregation query may not be`() throws {
        let count = Asked(.count(upTo: nil))
        let rules: [(text: String?, aggregations: [Asked])] = [
            ("Aggregations can not be empty.", []),
            (
                "The maximum number of aggregations allowed in an aggregation query is 5. Received: 6",
                Array(repeating: count, count: 6)
            ),
            (nil, Array(repeating: count, count: 5)),
            ("Operator field in Aggregation is not set.", [Asked(nil)]),
            (
                "Aggregation aliases contain duplicate alias: x.",
                [Asked(.count(upTo: nil), alias: "x"), Asked(.count(upTo: 1), alias: "x")]
            ),
            (
                "Aggregation aliases contain duplicate alias: field_1.",
                [Asked(.count(upTo: nil), alias: "field_1"), count]
            ),
            ("Aggregations are not supported for the property: __key__", [Asked(.sum(.documentName))]),
            ("Aggregations are not supported for the property: __key__", [Asked(.average(.documentName))]),
            ("Invalid empty property path string.", [Asked(.sum(nil))]),
            ("field name __x__ is reserved", [Asked(.count(upTo: nil), alias: "__x__")]),
            (
                "The property.name is longer than 1500 bytes.",
                [Asked(.count(upTo: nil), alias: UTF8Text(String(repeating: "x", count: 1501)))]
            ),
            ("up_to is negative", [Asked(.count(upTo: -1))]),
            (nil, [Asked(.count(upTo: 0))]),
        ]
        for (text, aggregations) in rules {
            let query = StructuredAggregationQuery(query: nil, aggregations: aggregations)
            let parent = try parent()
            do throws(QueryError) {
                _ = try AggregationQuery(query, parent: parent)
                #expect(text == nil)
            } catch {
                #expect(error.message == text)
            }
        }
    }

    @Test func `Aggregations without an alias are numbered among themselves`() throws {
        let query = try self.checked([
            Asked(.count(upTo: nil)), Asked(.count(upTo: nil), alias: "x"), Asked(.count(upTo: nil)),
        ])
        #expect(query.aggregations.map(\.alias) == ["field_1", "x", "field_2"])
    }

    @Test func `A document without a field that is summed is left out of all`() throws {
        let documents: [[String: Value]] = [
            ["pages": .integer(10), "year": .integer(1980)], ["pages": .integer(20)],
            ["pages": .integer(30), "year": .integer(1990)], ["pages": .string("many"), "year": .null],
        ]
        let found = try self.results(
            [
                Asked(.count(upTo: nil), alias: "n"), Asked(.sum(try field("pages")), alias: "s"),
                Asked(.average(try field("year")), alias: "v"),
            ],
            of: documents
        )
        #expect(found == ["n": .integer(3), "s": .integer(40), "v": .double(1985)])
    }

    @Test func `What is summed belongs to the order, as its index has it, where documents are bounded`() throws {
        let x = Asked(.sum(try field("x")), alias: "x")
        let y = Asked(.average(try field("y")), alias: "y")
        let count = Asked(.count(upTo: nil), alias: "n")
        let quoted = [Asked(.sum(try field("`a b`")), alias: "1"), Asked(.sum(try field("a.b")), alias: "2")]
        let z = try field("z")
        let isPositive = try StructuredQuery.Filter.field("z", .greaterThan, .integer(0))
        let cases: [(change: (inout StructuredQuery) throws -> Void, aggregations: [Asked], order: String)] = [
            ({ $0.limit = 2 }, [count], "__name__"),
            ({ $0.limit = 2 }, [x], "x, __name__"),
            ({ $0.offset = 2 }, [x], "x, __name__"),
            ({ _ in }, [x], "__name__"),
            ({ $0.limit = 2 }, [y, x, count], "x, y, __name__"),
            ({ $0.limit = 2 }, [y, Asked(.sum(try field("y")), alias: "again")], "y, __name__"),
            ({ $0.limit = 2 }, quoted, "a.b, `a b`, __name__"),
            (
                { query in
                    query.orderBy = [.init(field: z)]
                    query.limit = 2
                }, [x], "z, x, __name__"
            ),
            (
                { query in
                    query.orderBy = [.init(field: z, direction: .descending)]
                    query.offset = 2
                }, [y, x], "z desc, x desc, y desc, __name__ desc"
            ),
            (
                { query in
                    query.filter = isPositive
                    query.limit = 2
                }, [x], "z, x, __name__"
            ),
            (
                { query in
                    query.filter = isPositive
                    query.limit = 2
                }, [Asked(.sum(z))], "z, __name__"
            ),
        ]
        for (change, aggregations, order) in cases {
            let asked = StructuredAggregationQuery(query: try structured(change), aggregations: aggregations)
            let clauses = try AggregationQuery(asked, parent: parent()).query.order.clauses
            #expect(clauses.map { "\($0.path)\($0.isDescending ? " desc" : "")" }.joined(separator: ", ") == order)
        }
    }

    @Test func `What is summed cannot follow names that are asked for`() throws {
        let z = try field("z")
        let sum = Asked(.sum(z), alias: "z")
        let average = Asked(.average(try field("x")), alias: "x")
        let isOne = try StructuredQuery.Filter.field("__name__", .equal, try reference("c/d"))
        let isBehind = try StructuredQuery.Filter.field("__name__", .greaterThan, try reference("c/d"))
        let group = StructuredQuery.CollectionSelector(collectionID: "c", allDescendants: true)
        typealias Rule = (
            change: (inout StructuredQuery) -> Void, parent: String, aggregations: [Asked], fields: String?
        )
        let rules: [Rule] = [
            ({ $0.orderBy = [.init(field: .documentName)] }, "", [sum, average], "x, z"),
            ({ $0.orderBy = [.init(field: z), .init(field: .documentName)] }, "", [sum, average], "x"),
            ({ $0.orderBy = [.init(field: z), .init(field: .documentName)] }, "", [sum], nil),
            ({ $0.orderBy = [.init(field: .documentName)] }, "", [Asked(.count(upTo: nil))], nil),
            ({ $0.filter = isOne }, "", [sum], "z"),
            ({ $0.filter = isBehind }, "", [sum], "z"),
            (
                { query in
                    query.filter = isBehind
                    query.orderBy = [.init(field: z)]
                }, "", [sum], nil
            ),
            ({ $0.from = [group] }, "a/b", [sum], "z"),
            ({ $0.from = [group] }, "a/b", [Asked(.count(upTo: nil))], nil),
            ({ $0.from = [group] }, "", [sum], nil),
            ({ _ in }, "a/b", [sum], nil),
        ]
        for (change, parentPath, aggregations, fields) in rules {
            let asked = StructuredAggregationQuery(query: structured(change), aggregations: aggregations)
            let parent = try parent(parentPath)
            do throws(QueryError) {
                _ = try AggregationQuery(asked, parent: parent)
                #expect(fields == nil)
            } catch {
                let text = "This query requires an index that has fields [\(fields ?? "none")] after __name__ and "
                #expect(error.code == .invalidArgument && error.message.hasPrefix(text))
            }
        }
    }

    @Test func `Counts are bounded by up_to`() throws {
        let documents = Array(repeating: ["a": Value.null], count: 7)
        let asked = [Asked(.count(upTo: 3)), Asked(.count(upTo: 0)), Asked(.count(upTo: nil)), Asked(.count(upTo: 9))]
        let found = try self.results(asked, of: documents)
        #expect(
            found == ["field_1": .integer(3), "field_2": .integer(0), "field_3": .integer(7), "field_4": .integer(7)]
        )
        #expect(try self.checked(asked).countsOnly && self.checked(asked).countMax == nil)
        #expect(try self.checked([asked[0], asked[3]]).countMax == 9)
        var counted = AggregateAccumulator(try self.checked(asked))
        counted.add(count: 7)
        #expect(self.values(of: counted) == found)
    }

    @Test(
        arguments: [
            ([], .integer(0), .null),
            ([.string("x"), .null], .integer(0), .null),
            ([.integer(1), .integer(2)], .integer(3), .double(1.5)),
            ([.integer(1), .double(2)], .double(3), .double(1.5)),
            ([.integer(.max), .integer(1), .integer(-1)], .integer(.max), .double(0x1p63 / 3)),
            ([.integer(.max), .integer(.max)], .double(0x1p64), .double(0x1p63)),
            ([.integer(.min), .integer(-1)], .double(-0x1p63), .double(-0x1p62)),
            ([.double(.nan), .integer(1)], .double(.nan), .double(.nan)),
            ([.double(.infinity), .double(-.infinity)], .double(.nan), .double(.nan)),
            ([.double(.infinity), .integer(1)], .double(.infinity), .double(.infinity)),
            (
                [.double(.greatestFiniteMagnitude), .double(.greatestFiniteMagnitude)], .double(.infinity),
                .double(.infinity)
            ),
            ([.double(1e16), .double(1), .double(-1e16)], .double(1), .double(1.0 / 3)),
            ([.double(-0.0)], .double(0), .double(0)),
        ] as [([Value], Value, Value)]
    )
    func `Sums are exact over integers and follow IEEE 754 beyond them`(
        values: [Value],
        sum: Value,
        average: Value
    ) throws {
        let found = try self.sumAndAverage(values)
        #expect(found.sum?.encoded().first == sum.encoded().first && found.sum == sum)
        #expect(found.average == average)
    }
}
