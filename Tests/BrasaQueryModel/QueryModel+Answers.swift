package import BrasaDocuments
internal import BrasaQueries

extension QueryModel {
    /// What of a result's fields is returned.
    package func returned(_ document: ModelDocument) -> [Value.MapEntry] {
        guard let select = self.query.select else { return document.entries }
        return Self.selected(document.entries, by: select.filter { !$0.isDocumentName }.map(\.segments)[...])
    }

    private static func selected(_ entries: [Value.MapEntry], by paths: ArraySlice<[UTF8Text]>) -> [Value.MapEntry] {
        entries.compactMap { entry in
            let below = paths.filter { $0.first == entry.key }.map { Array($0.dropFirst()) }
            guard !below.isEmpty else { return nil }
            if below.contains([]) { return entry }
            guard case .map(let inner) = entry.value, entry.value.vectorComponents == nil else { return nil }
            let rest = self.selected(inner, by: below[...])
            return rest.isEmpty ? nil : Value.MapEntry(key: entry.key, value: .map(rest))
        }
    }

    /// The results of `find_nearest` with their distances; nil when a vector without direction makes it fail.
    package func nearest(among documents: [ModelDocument]) -> [(document: ModelDocument, distance: Double)]? {
        guard let nearest = self.query.findNearest, let field = nearest.vectorField,
            let wanted = nearest.queryVector?.vectorComponents
        else { return [] }
        if nearest.distanceMeasure == .cosine, wanted.allSatisfy({ $0 == 0 }) { return nil }
        var found: [(document: ModelDocument, distance: Double)] = []
        for document in self.ordered(documents) {
            guard let vector = self.value(document, field)?.vectorComponents, vector.count == wanted.count else {
                continue
            }
            let products = zip(vector, wanted).map { $0 * $1 }.reduce(0, +)
            let squares = [vector, wanted].map { $0.map { $0 * $0 }.reduce(0, +) }
            let lengths = (squares[0] * squares[1]).squareRoot()
            switch nearest.distanceMeasure {
            case .dotProduct: found.append((document, products))
            case .cosine where squares[0] == 0: return nil
            case .cosine: found.append((document, 1 - products / lengths))
            default:
                let differences = zip(vector, wanted).map { ($0 - $1) * ($0 - $1) }
                found.append((document, differences.reduce(0, +).squareRoot()))
            }
        }
        let isDescending = nearest.distanceMeasure == .dotProduct
        if let threshold = nearest.distanceThreshold {
            found.removeAll { isDescending ? $0.distance < threshold : $0.distance > threshold }
        }
        found.sort { left, right in
            if left.distance == right.distance { return left.document.path < right.document.path }
            return isDescending ? left.distance > right.distance : left.distance < right.distance
        }
        return Array(found.prefix(Int(nearest.limit ?? 0)))
    }
}
