/* OSCORE's context and messages: the test vectors of RFC 8613, appendix C, and what is refused. */
#include "bench.h"
#include "core/util/bytes.h"

/* Bytes of a hexadecimal text. */
struct hex {
    uint8_t data[128];
    size_t size;
};

static struct hex hex(const char *text) {
    struct hex h = {.size = strlen(text) / 2};
    assert_true(h.size <= sizeof h.data);
    for (size_t i = 0; i < h.size; i++)
        h.data[i] = (uint8_t)(tw_hex_digit(text[2 * i]) << 4 | tw_hex_digit(text[2 * i + 1]));
    return h;
}

static struct tw_oscore_bytes of(const struct hex *h) {
    return (struct tw_oscore_bytes){h->data, h->size};
}

static void expect_hex(const uint8_t *data, size_t size, const char *text) {
    struct hex expected = hex(text);
    assert_int_equal(size, expected.size);
    assert_memory_equal(data, expected.data, size);
}

#define SECRET "0102030405060708090a0b0c0d0e0f10"
#define SALT "9e7ca92223786340"

static struct tw_oscore_context context_of(const char *salt, const char *sender,
                                           const char *recipient, const char *id_context) {
    struct hex secret = hex(SECRET), salted = hex(salt), s = hex(sender), r = hex(recipient);
    struct hex named = id_context ? hex(id_context) : (struct hex){.size = 0};
    struct tw_oscore_context context;
    struct tw_oscore_input input = {
        .secret = of(&secret), .salt = of(&salted), .sender_id = of(&s), .recipient_id = of(&r)};
    if (id_context)
        input.id_context = of(&named);
    assert_true(tw_oscore_derive(&context, &input));
    return context;
}

static void expect_keys(const struct tw_oscore_context *context, const char *sender,
                        const char *recipient, const char *iv) {
    expect_hex(context->sender_key, TW_OSCORE_KEY_BYTES, sender);
    expect_hex(context->recipient_key, TW_OSCORE_KEY_BYTES, recipient);
    expect_hex(context->common_iv, TW_OSCORE_NONCE_BYTES, iv);
}

static void test_c1_keys_with_a_salt(void **s) {
    struct tw_oscore_context client = context_of(SALT, "", "01", NULL);
    expect_keys(&client, "f0910ed7295e6ad4b54fc793154302ff", "ffb14e093c94c9cac9471648b4f98710",
                "4622d4dd6d944168eefb54987c");
}

static void test_c2_keys_without_a_salt(void **s) {
    struct tw_oscore_context client = context_of("", "00", "01", NULL);
    expect_keys(&client, "321b26943253c7ffb6003b0b64d74041", "e57b5635815177cd679ab4bcec9d7dda",
                "be35ae297d2dace910c52e99f9");
}

static void test_c3_keys_with_an_id_context(void **s) {
    struct tw_oscore_context client = context_of(SALT, "", "01", "37cbf3210017a2d3");
    expect_keys(&client, "af2a1300a5e95788b356336eeecd2b92", "e39a0c7c77b43f03b4b39ab9a268699f",
                "2ca58fb85ff1b81c0b7181b85e");
}

static void expect_protected(const struct tw_oscore_context *context, const char *plain,
                             const char *expected) {
    static const struct tw_oscore_echo none = {0};
    struct hex datagram = hex(plain);
    struct tw_oscore_id piv = tw_oscore_piv(20);
    uint8_t out[128];
    size_t size = tw_oscore_protect(context, &piv, &none, of(&datagram), out, sizeof out);
    expect_hex(out, size, expected);
    for (size_t room = 0; room < size; room++) /* never in less room than it takes */
        assert_int_equal(tw_oscore_protect(context, &piv, &none, of(&datagram), out, room), 0);
}

static void test_c4_request(void **s) {
    struct tw_oscore_context client = context_of(SALT, "", "01", NULL);
    expect_protected(&client, "44015d1f00003974396c6f63616c686f737483747631",
                     "44025d1f00003974396c6f63616c686f7374620914ff612f1092f1776f1c1668b3825e");
}

static void test_c5_request_with_a_kid(void **s) {
    struct tw_oscore_context client = context_of("", "00", "01", NULL);
    expect_protected(&client, "440171c30000b932396c6f63616c686f737483747631",
                     "440271c30000b932396c6f63616c686f737463091400ff4ed339a5a379b0b8bc731fffb0");
}

static enum tw_oscore_result verify(const char *response, uint8_t *out, size_t *size) {
    struct tw_oscore_context client = context_of(SALT, "", "01", NULL);
    struct tw_oscore_id piv = tw_oscore_piv(20);
    struct hex datagram = hex(response);
    return tw_oscore_verify(&client, &client, &piv, of(&datagram), out, size);
}

#define PLAIN_RESPONSE "64455d1f00003974ff48656c6c6f20576f726c6421"
#define C7 "64445d1f0000397490ffdbaad1e9a7e7b2a813d3c31524378303cdafae119106"
#define C8 "64445d1f00003974920100ff4d4c13669384b67354b2b6175ff4b8658c666a6cf88e"

static void test_c6_request_with_an_id_context(void **s) {
    struct tw_oscore_context client = context_of(SALT, "", "01", "37cbf3210017a2d3");
    client.names_id_context = true;
    expect_protected(&client, "44012f8eef9bbf7a396c6f63616c686f737483747631",
                     "44022f8eef9bbf7a396c6f63616c686f73746b19140837cbf3210017a2d3"
                     "ff72cd7273fd331ac45cffbe55c3");
}

static void test_c7_response(void **s) {
    uint8_t out[128];
    size_t size;
    assert_int_equal(verify(C7, out, &size), TW_OSCORE_VERIFIED);
    expect_hex(out, size, PLAIN_RESPONSE);
}

static void test_c8_response_with_its_own_number(void **s) {
    uint8_t out[128];
    size_t size;
    assert_int_equal(verify(C8, out, &size), TW_OSCORE_VERIFIED);
    expect_hex(out, size, PLAIN_RESPONSE);
}

static void test_every_changed_bit_of_the_ciphertext_is_noticed(void **s) {
    struct tw_oscore_context client = context_of(SALT, "", "01", NULL);
    struct tw_oscore_id piv = tw_oscore_piv(20);
    struct hex datagram = hex(C7);
    uint8_t out[128];
    size_t size;
    for (size_t bit = 8 * 10; bit < 8 * datagram.size; bit++) {
        datagram.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(tw_oscore_verify(&client, &client, &piv, of(&datagram), out, &size),
                         TW_OSCORE_INVALID);
        datagram.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void test_a_response_is_bound_to_its_request(void **s) {
    struct tw_oscore_context client = context_of(SALT, "", "01", NULL);
    struct tw_oscore_id piv = tw_oscore_piv(21);
    struct hex first = hex(C7), second = hex(C8);
    uint8_t out[128];
    size_t size;
    assert_int_equal(tw_oscore_verify(&client, &client, &piv, of(&first), out, &size),
                     TW_OSCORE_INVALID);
    assert_int_equal(tw_oscore_verify(&client, &client, &piv, of(&second), out, &size),
                     TW_OSCORE_INVALID);
}

static void test_a_response_without_the_option_is_unprotected(void **s) {
    uint8_t out[128];
    size_t size;
    assert_int_equal(verify(PLAIN_RESPONSE, out, &size), TW_OSCORE_UNPROTECTED);
    assert_int_equal(verify("6444", out, &size), TW_OSCORE_UNPROTECTED);
    assert_int_equal(verify("64445d1f0000397490ff", out, &size), TW_OSCORE_UNPROTECTED);
}

static void test_the_option_without_a_payload_is_malformed(void **s) {
    uint8_t out[128];
    size_t size;
    assert_int_equal(verify("64445d1f0000397490", out, &size), TW_OSCORE_MALFORMED);
    assert_int_equal(verify("64445d1f0000397490ff0102030405060708", out, &size),
                     TW_OSCORE_MALFORMED);
}

static void test_the_option_twice_is_malformed(void **s) {
    uint8_t out[128];
    size_t size;
    assert_int_equal(
        verify("64445d1f000039749000ffdbaad1e9a7e7b2a813d3c31524378303cdafae119106", out, &size),
        TW_OSCORE_MALFORMED);
}

static bool reads(const char *text) {
    struct hex value = hex(text);
    struct tw_oscore_option option;
    return tw_oscore_read_option(value.data, value.size, &option);
}

static void test_option_values(void **s) {
    assert_true(reads(""));
    assert_true(reads("0114"));
    assert_true(reads("0914"));           /* an empty kid */
    assert_true(reads("09140102"));       /* one of two bytes */
    assert_true(reads("19140337cbf301")); /* a kid context of three, and a kid */
    assert_true(reads("050102030405"));
}

static void test_malformed_option_values(void **s) {
    assert_false(reads("00"));             /* the value without flags is empty */
    assert_false(reads("06010203040506")); /* sizes 6 and 7 are reserved */
    assert_false(reads("0701020304050607"));
    assert_false(reads("2914")); /* and so are three bits */
    assert_false(reads("4914"));
    assert_false(reads("8914"));
    assert_false(reads("02"));       /* shorter than it says */
    assert_false(reads("1114"));     /* no size of the kid context */
    assert_false(reads("111403aa")); /* fewer bytes than that */
    assert_false(reads("0114aa"));   /* more than it says */
}

static void test_partial_iv_has_no_leading_zeros(void **s) {
    static const struct {
        uint64_t number;
        const char *bytes;
    } cases[] = {{0, "00"},     {1, "01"},         {255, "ff"},
                 {256, "0100"}, {65536, "010000"}, {TW_OSCORE_LAST, "ffffffffff"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_oscore_id piv = tw_oscore_piv(cases[i].number);
        expect_hex(piv.bytes, piv.size, cases[i].bytes);
    }
}

static void test_ids_that_cannot_be(void **s) {
    struct hex secret = hex(SECRET), one = hex("01"), long_one = hex("0102030405060708");
    struct tw_oscore_context context;
    struct tw_oscore_input input = {
        .secret = of(&secret), .sender_id = of(&one), .recipient_id = of(&one)};
    assert_false(tw_oscore_derive(&context, &input));
    input.recipient_id = of(&long_one);
    assert_false(tw_oscore_derive(&context, &input));
}

static struct tw_oscore_input input_of(const struct hex *secret, const struct hex *sender,
                                       const struct hex *recipient) {
    return (struct tw_oscore_input){
        .secret = of(secret), .sender_id = of(sender), .recipient_id = of(recipient)};
}

static void test_record_of_the_number(void **s) {
    struct hex secret = hex(SECRET), one = hex("01"), two = hex("02"), three = hex("03");
    struct hex named = hex("37cbf3210017a2d3");
    const struct tw_oscore_input input = input_of(&secret, &one, &two);
    const struct tw_oscore_input others = input_of(&secret, &three, &two);
    struct tw_oscore_input derived = input;
    struct tw_oscore_context client, found = {0};
    uint8_t record[TW_OSCORE_RECORD_BYTES];
    derived.id_context = of(&named);
    assert_true(tw_oscore_derive(&client, &derived));
    client.next = UINT64_C(0x1234567890);
    client.stage = TW_OSCORE_THIRD;
    tw_oscore_save(&client, record);
    assert_false(tw_oscore_restore(&found, &others, record)); /* of another device */
    for (size_t i = 0; i < sizeof record; i++) {
        record[i] ^= 1;
        assert_false(tw_oscore_restore(&found, &input, record));
        record[i] ^= 1;
    }
    assert_int_equal(found.next, 0);
    assert_true(tw_oscore_restore(&found, &input, record));
    assert_memory_equal(&found, &client, sizeof client);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c1_keys_with_a_salt),
        cmocka_unit_test(test_c2_keys_without_a_salt),
        cmocka_unit_test(test_c3_keys_with_an_id_context),
        cmocka_unit_test(test_c4_request),
        cmocka_unit_test(test_c5_request_with_a_kid),
        cmocka_unit_test(test_c6_request_with_an_id_context),
        cmocka_unit_test(test_c7_response),
        cmocka_unit_test(test_c8_response_with_its_own_number),
        cmocka_unit_test(test_every_changed_bit_of_the_ciphertext_is_noticed),
        cmocka_unit_test(test_a_response_is_bound_to_its_request),
        cmocka_unit_test(test_a_response_without_the_option_is_unprotected),
        cmocka_unit_test(test_the_option_without_a_payload_is_malformed),
        cmocka_unit_test(test_the_option_twice_is_malformed),
        cmocka_unit_test(test_option_values),
        cmocka_unit_test(test_malformed_option_values),
        cmocka_unit_test(test_partial_iv_has_no_leading_zeros),
        cmocka_unit_test(test_ids_that_cannot_be),
        cmocka_unit_test(test_record_of_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
